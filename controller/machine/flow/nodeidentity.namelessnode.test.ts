import { describe, expect, test } from 'bun:test';
import { ANNOTATION_CONFIRMED } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { at, machine, node } from '../../../test/fixtures/objects.ts';
import { sameVmBy } from '../../drivers/sdk/vmstatus.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import { type NodeFacts, whyNotIts } from './nodeidentity.ts';
import type { ReportedVm } from './vmclaim.ts';

/** hack/decisions/0028 T21, T89: who names its Machine as a Node to come gets no Node of another namespace. */

const NAME = 'worker-17';

const named = (namespace: string, born: number, isConfirmed = true): Machine => {
  const [uid, vm] = [`uid-${namespace}-${born}`, `names:///${namespace}/${NAME}`];
  const confirmed = isConfirmed ? `${uid} ${at(born + 1)} ${vm}` : '';
  const metadata = { name: NAME, namespace, uid, creationTimestamp: at(born), labels: { node: NAME } };
  return machine({
    metadata: { ...metadata, annotations: { [ANNOTATION_CONFIRMED]: confirmed } },
    spec: { providerID: vm },
  });
};
const thief = named('tenant', 0);
const victim = named('prod', 10);
const sibling = {
  ...named('prod', 5),
  metadata: { ...named('prod', 5).metadata, name: 'sibling' },
};

const told = (...addresses: string[]): ReportedVm => ({
  providerID: 'names:///x',
  nodeName: NAME,
  addresses: addresses.map((address) => ({ type: 'InternalIP', address })),
});
const facts = (one: Machine, its: ReportedVm | undefined, more: Partial<NodeFacts> = {}): NodeFacts => ({
  machine: one,
  claim: { at: 'own', marked: true },
  reported: its,
  reportedOf: () => undefined,
  isShared: true,
  isAbsent: false,
  namesakes: [thief, victim],
  isSameVm: sameVmBy([]),
  named: () => undefined,
  ...more,
});
const nameless = (addresses: string[] = [], annotations: Record<string, string> = {}): Node => ({
  ...node({
    metadata: {
      name: NAME,
      creationTimestamp: at(20),
      annotations: {
        'machine.sapcloud.io/machine': undefined,
        'machine.sapcloud.io/cluster-namespace': undefined,
        ...annotations,
      },
    },
    spec: { providerID: '' },
  } as never),
  status: { addresses: addresses.map((address) => ({ type: 'InternalIP', address })) },
});
const VICTIMS = { 'machine.sapcloud.io/machine': NAME, 'machine.sapcloud.io/cluster-namespace': 'prod' };

const SEVERAL =
  /^machines of several namespaces have it, .* kubectl annotate node worker-17 machine.sapcloud.io\/machine=/;
const ITS = undefined;

type Row = [what: string, facts: NodeFacts, node: Node, why: RegExp | undefined];

function judged(...[, its, one, why]: Row): void {
  const said = whyNotIts(its, one);
  if (why === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(why);
}

describe('a Node without a providerID that machines of two namespaces name', () => {
  test.each<Row>([
    ['is not that of who was confirmed first', facts(thief, told()), nameless(), SEVERAL],
    ['is not that of the other', facts(victim, told()), nameless(), SEVERAL],
    ['is that of the one who is recorded on it', facts(victim, told()), nameless([], VICTIMS), ITS],
    ['is not that of the other then', facts(thief, told()), nameless([], VICTIMS), /recorded as that of another/],
    [
      'is that of the one with its address, if the other’s VM has another',
      facts(victim, told('10.0.0.2'), { reportedOf: () => told('10.0.0.1') }),
      nameless(['10.0.0.2']),
      ITS,
    ],
    [
      'is not that of one with another address',
      facts(thief, told('10.0.0.1'), { reportedOf: () => told('10.0.0.2') }),
      nameless(['10.0.0.2']),
      /no address that the VM has/,
    ],
    [
      'is nobody’s while the other’s driver has not spoken',
      facts(victim, told('10.0.0.2')),
      nameless(['10.0.0.2']),
      SEVERAL,
    ],
    [
      'is nobody’s if both have its address',
      facts(thief, told('10.0.0.2'), { reportedOf: () => told('10.0.0.2') }),
      nameless(['10.0.0.2']),
      SEVERAL,
    ],
    [
      'is not kept from who has the VM by one of whom nothing was confirmed',
      facts(victim, told(), { namesakes: [named('tenant', 0, false), victim] }),
      nameless(),
      ITS,
    ],
  ])('%s', judged);
});

describe('a Node without a providerID that one machine names', () => {
  const alone = { namesakes: [victim] };
  const pair = { namesakes: [sibling, victim] };
  test.each<Row>([
    ['is its, where the driver tells no address', facts(victim, told(), alone), nameless(['10.0.0.2']), ITS],
    ['is its, where the driver tells names alone', facts(victim, told(NAME), alone), nameless(), ITS],
    ['is its by one of its addresses', facts(victim, told('fd00::0:1'), alone), nameless(['10.0.0.2', 'FD00::1']), ITS],
    [
      'is not its by another address',
      facts(victim, told('10.0.0.2'), alone),
      nameless(['10.0.0.3']),
      /no address that/,
    ],
    ['is not its before it reports one', facts(victim, told('10.0.0.2'), alone), nameless(), /no address yet/],
    [
      'is its whatever its addresses in a cluster of the namespace’s own',
      facts(victim, told('10.0.0.2'), { ...alone, isShared: false }),
      nameless(['10.0.0.3']),
      ITS,
    ],
    ['may be its before the driver has spoken', facts(victim, undefined, alone), nameless(['10.0.0.2']), ITS],
  ])('%s', judged);

  test.each<Row>([
    [
      'is not that of the later of two of a namespace',
      facts(victim, told(), pair),
      nameless(),
      /another machine comes/,
    ],
    ['is that of the first of two of a namespace', facts(sibling, told(), pair), nameless(), ITS],
  ])('%s', judged);
});
