import { describe, expect, test } from 'bun:test';
import type { KubeObject } from '../controller/runtime/object.ts';
import { apiVersion } from '../schemas/kinds.ts';
import { webhookApp } from '../test/admission/app.ts';
import { type Asked, answerTo } from '../test/admission/review.ts';

const CREATED_BY = 'drover.dev/created-by';
const machineClass = (annotations?: Record<string, string>, more: object = {}): KubeObject => ({
  apiVersion,
  kind: 'MachineClass',
  metadata: { name: 'small', ...(annotations ? { annotations } : {}), ...more },
});

/** The annotation after the request: from the patch, else as it was sent. */
async function creatorAfter(asked: Asked): Promise<string | undefined> {
  const { patch = '' } = await answerTo(webhookApp().app, '/mutate', asked);
  const [operation] = patch ? (JSON.parse(atob(patch)) as Array<{ path: string; value: unknown }>) : [];
  if (!operation) return asked.now?.metadata.annotations?.[CREATED_BY];
  if (operation.path === '/metadata/annotations') return (operation.value as Record<string, string>)[CREATED_BY];
  expect(operation.path).toBe('/metadata/annotations/drover.dev~1created-by');
  return operation.value as string;
}

describe('an object says who made it', () => {
  const alices = machineClass({ [CREATED_BY]: 'alice' });
  const owned = { ownerReferences: [{ apiVersion, kind: 'Owner', name: 'o', uid: 'u', controller: true }] };
  test.each<[string, Asked, string | undefined]>([
    ['from its creation on', { now: machineClass() }, 'alice'],
    ['beside other annotations', { now: machineClass({ note: 'mine' }) }, 'alice'],
    ['whatever its author wrote', { now: machineClass({ [CREATED_BY]: 'bob' }) }, 'alice'],
    ['unless nobody is known to', { now: machineClass(), user: { username: '' } }, undefined],
    ['also after an update that leaves it out', { before: alices, now: machineClass() }, 'alice'],
    ['but for a change, which a rule refuses', { before: alices, now: machineClass({ [CREATED_BY]: 'bob' }) }, 'bob'],
    ['but for one that is older than the webhook', { before: machineClass(), now: machineClass() }, undefined],
    ['but for one that a controller made', { now: machineClass(undefined, owned) }, undefined],
    ['as its controller copied it', { now: machineClass({ [CREATED_BY]: 'bob' }, owned) }, 'bob'],
  ])('%s', async (_what, asked, creator) => {
    expect(await creatorAfter(asked)).toBe(creator);
  });
});
