import { describe, expect, test } from 'bun:test';
import { at, machine } from '../../test/fixtures/objects.ts';
import { recorded } from './flow/view.fixture.ts';
import { sourcesOf } from './observe.fixture.ts';
import { nodeFactsOf, observe } from './observe.ts';

/**
 * hack/decisions/0028 T79: whose owner keeps a Machine by a finalizer of his own, when VM and Node are gone, went on to claim both, for ever and for
 * nothing: a VM of the same id, and a Node of the same name, were nobody's.
 */

const VM = 'virtual:///uid-m';
const OURS = 'machine.sapcloud.io/machine-controller-manager';

/** A Machine of another namespace that was confirmed to have this VM, and its Node, earlier; it is being deleted. */
const before = (finalizers: string[]) =>
  machine({
    metadata: {
      name: 'm',
      namespace: 'tenant',
      uid: 'uid-tenant',
      labels: { node: 'm' },
      annotations: { 'protected.drover.dev/vm-confirmed': `uid-tenant ${at(-1_000)} ${VM}` },
      deletionTimestamp: at(2),
      finalizers,
    },
    spec: { providerID: VM },
  });

const one = machine({ ...recorded, spec: { providerID: VM } });

describe.each([
  ['that only a finalizer of its owner keeps', ['example.com/mine'], true],
  ['whose VM is still to go', [OURS, 'example.com/mine'], false],
])('a Machine %s', (_what, finalizers, isNothing) => {
  const sources = () => sourcesOf(one, { others: [before(finalizers)] });

  test(isNothing ? 'claims no VM' : 'claims its VM', () => {
    const among = sources();
    among.calls.reported = () => ({ providerID: VM, nodeName: 'm' }) as never;
    expect(observe(among, 'herd/m')?.claim.at).toBe(isNothing ? 'own' : 'others');
  });

  test(isNothing ? 'has no Node' : 'has its Node', () => {
    const where = { target: { api: {} } as never, name: 'm' };
    const { namesakes, named } = nodeFactsOf(sources(), { machine: one, claim: { at: 'unknown' } }, where);
    const others = namesakes.filter(({ metadata }) => metadata.namespace === 'tenant');
    expect([others.length, named('tenant/m') === undefined]).toEqual(isNothing ? [0, true] : [1, false]);
  });
});
