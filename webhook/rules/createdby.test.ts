import { describe, expect, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { FINALIZER } from '../../schemas/keys.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import { webhookApp } from '../../test/admission/app.ts';
import { lookUpIn } from '../../test/admission/facts.ts';
import { makerOf, ownedBy } from '../../test/admission/maker.ts';
import { type Asked, answerTo } from '../../test/admission/review.ts';

const CREATED_BY = 'drover.dev/created-by';
const machineClass = (annotations?: Record<string, string>, more: object = {}): KubeObject => ({
  apiVersion,
  kind: 'MachineClass',
  metadata: { name: 'small', ...(annotations ? { annotations } : {}), ...more },
});

/** The annotation after the request: from the patch, else as it was sent. */
async function creatorAfter(asked: Asked, among?: KubeObject[]): Promise<string | undefined> {
  const { patch = '' } = await answerTo(webhookApp(undefined, lookUpIn(among)).app, '/mutate', asked);
  const [operation] = patch ? (JSON.parse(atob(patch)) as Array<{ path: string; value: unknown }>) : [];
  if (!operation) return asked.now?.metadata.annotations?.[CREATED_BY];
  if (operation.path === '/metadata/annotations') return (operation.value as Record<string, string>)[CREATED_BY];
  expect(operation.path).toBe('/metadata/annotations/drover.dev~1created-by');
  return operation.value as string;
}

describe('an object says who made it', () => {
  const [alices, bobs] = [machineClass({ [CREATED_BY]: 'alice' }), machineClass({ [CREATED_BY]: 'bob' })];
  const leaving = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, deletionTimestamp: '2026-11-23T00:00:00Z' },
  });
  test.each<[string, Asked, string | undefined]>([
    ['from its creation on', { now: machineClass() }, 'alice'],
    ['beside other annotations', { now: machineClass({ note: 'mine' }) }, 'alice'],
    ['whatever its author wrote', { now: machineClass({ [CREATED_BY]: 'bob' }) }, 'alice'],
    ['unless nobody is known to', { now: machineClass(), user: { username: '' } }, undefined],
    ['also after an update that leaves it out', { before: alices, now: machineClass() }, 'alice'],
    // hack/decisions/0051 U36: Gardener replaces the classes of a worker while they wait for its machines.
    ['also on one that is being deleted', { before: leaving(alices), now: leaving(machineClass()) }, 'alice'],
    ['but for a change on one, which a rule refuses', { before: leaving(alices), now: leaving(bobs) }, 'bob'],
    [
      'and none is given to one that is being deleted',
      { before: leaving(machineClass()), now: leaving(machineClass()) },
      undefined,
    ],
    ['but for a change, which a rule refuses', { before: alices, now: machineClass({ [CREATED_BY]: 'bob' }) }, 'bob'],
    ['but for one that is older than the webhook', { before: machineClass(), now: machineClass() }, undefined],
  ])('%s', async (_what, asked, creator) => {
    expect(await creatorAfter(asked)).toBe(creator);
  });
});

// hack/decisions/0051 U36
test.each<[string, string[] | undefined, string | undefined, object | undefined]>([
  ['who leaves out who made it as well keeps our finalizer', undefined, undefined, [FINALIZER]],
  ['beside others', ['example.com/audit'], undefined, ['example.com/audit', FINALIZER]],
  ['who knows who made it takes it off', undefined, 'alice', undefined],
  ['and that is the finalizer alone', [FINALIZER], undefined, undefined],
])('of what is being deleted %s', async (_what, finalizers, creator, put) => {
  const leaving = { deletionTimestamp: '2026-11-23T00:00:00Z' };
  const before = machineClass({ [CREATED_BY]: 'alice' }, { ...leaving, finalizers: ['example.com/audit', FINALIZER] });
  const now = machineClass(creator ? { [CREATED_BY]: creator } : undefined, {
    ...leaving,
    ...(finalizers && { finalizers }),
  });
  const { patch = '' } = await answerTo(webhookApp().app, '/mutate', { before, now });
  const operations = patch ? (JSON.parse(atob(patch)) as Array<{ path: string; value: unknown }>) : [];
  expect(operations.find(({ path }) => path === '/metadata/finalizers')?.value as object | undefined).toEqual(put);
});

// hack/decisions/0028 W11
describe('a Machine that a MachineSet made', () => {
  const machine = (creator?: string): KubeObject => ({
    ...machineClass(creator === undefined ? undefined : { [CREATED_BY]: creator }),
    kind: 'Machine',
  });
  const among = [makerOf(machine('bob'))];
  test.each<[string, KubeObject, KubeObject[], string | undefined]>([
    ['need not say who made it', ownedBy(machine()), among, undefined],
    ['may say who made the set', ownedBy(machine('bob')), among, 'bob'],
    ['may say nobody else', ownedBy(machine('carol')), among, 'alice'],
    ['is not one because it says so', ownedBy(machine('bob')), [], 'alice'],
    ['is not one by another UID', ownedBy(machine('bob'), { uid: 'x' }), among, 'alice'],
    ['is not one by another kind', ownedBy(machine('bob'), { kind: 'MachineDeployment' }), among, 'alice'],
  ])('%s', async (_what, now, there, creator) => {
    expect(await creatorAfter({ now }, there)).toBe(creator);
  });
});
