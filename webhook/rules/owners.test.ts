import { expect, test } from 'bun:test';
import { ApiError } from '../../controller/runtime/client/errors.ts';
import { FakeClock } from '../../controller/runtime/clock.fake.ts';
import type { OwnerReference } from '../../controller/runtime/k8s/object.ts';
import { FakeLog } from '../../controller/runtime/observability/log.fake.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import { reviewOf } from '../../test/admission/review.ts';
import { machine, machineSet } from '../../test/fixtures/objects.ts';
import { makeCaches } from '../admission/lookup.ts';
import { readReview } from '../admission/review.ts';
import { createFindOwner } from './owners.ts';

// hack/decisions/0028 M18

const owner = { apiVersion, kind: 'MachineSet', name: 'set', uid: 'now' };
const set = (uid: string) => machineSet({ metadata: { name: 'set', uid } });
const failed = (status: number, reason: string) => async () => {
  throw new ApiError(`GET: ${reason}`, { status, reason });
};

interface World {
  cached?: string;
  live?: () => Promise<unknown>;
}

async function found(reference: object, { cached, live = failed(404, 'NotFound') }: World = {}) {
  const caches = makeCaches(new FakeLog());
  if (cached !== undefined) caches.sets.put(set(cached));
  const asked: string[] = [];
  const api = {
    get: (_resource: unknown, { namespace, name }: { namespace?: string; name: string }) => {
      asked.push(`${namespace}/${name}`);
      return live();
    },
  };
  const find = createFindOwner({ caches, api: api as never, clock: new FakeClock() });
  const now = machine({ metadata: { namespace: 'herd' } });
  const review = readReview(JSON.stringify(reviewOf({ now })));
  if ('unfit' in review) throw new Error(review.unfit);
  return [await find(reference as OwnerReference, review.request), asked.join()];
}

test('an owner that the cache shows is there, and nobody is asked', async () => {
  expect(await found(owner, { cached: 'now' })).toEqual(['there', '']);
});

test.each<[string, string, World]>([
  ['that the cache does not show yet is there', 'there', { live: async () => set('now') }],
  ['that the cache shows as it was is there', 'there', { cached: 'before', live: async () => set('now') }],
  ['whose name another has is replaced', 'replaced', { cached: 'other', live: async () => set('other') }],
  ['is missing if the API server says so', 'missing', { cached: 'before' }],
  ['is unknown where a proxy says so', 'unknown', { live: failed(404, 'NotServed') }],
  ['is unknown where it is not told', 'unknown', { live: failed(403, 'Forbidden') }],
])('an owner %s', async (_what, stands, world) => {
  expect(await found(owner, world)).toEqual([stands, 'herd/set']);
});

test.each<[string, object]>([
  ['of other groups', { ...owner, apiVersion: 'apps/v1' }],
  ['of other kinds', { ...owner, kind: 'ConfigMap' }],
  ['without a name', { ...owner, name: '' }],
  ['with a name that is none', { ...owner, name: '../machines' }],
  ['whose name is no text', { ...owner, name: {} }],
])('of owners %s nothing is known, and nobody is asked', async (_what, reference) => {
  expect(await found(reference)).toEqual(['unknown', '']);
});
