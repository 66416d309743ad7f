import { describe, expect, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
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
  const alices = machineClass({ [CREATED_BY]: 'alice' });
  test.each<[string, Asked, string | undefined]>([
    ['from its creation on', { now: machineClass() }, 'alice'],
    ['beside other annotations', { now: machineClass({ note: 'mine' }) }, 'alice'],
    ['whatever its author wrote', { now: machineClass({ [CREATED_BY]: 'bob' }) }, 'alice'],
    ['unless nobody is known to', { now: machineClass(), user: { username: '' } }, undefined],
    ['also after an update that leaves it out', { before: alices, now: machineClass() }, 'alice'],
    ['but for a change, which a rule refuses', { before: alices, now: machineClass({ [CREATED_BY]: 'bob' }) }, 'bob'],
    ['but for one that is older than the webhook', { before: machineClass(), now: machineClass() }, undefined],
  ])('%s', async (_what, asked, creator) => {
    expect(await creatorAfter(asked)).toBe(creator);
  });
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
