import { describe, expect, test } from 'bun:test';
import type { KubeObject, OwnerReference } from '../../controller/runtime/k8s/object.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import { type Asked, reviewOf } from '../../test/admission/review.ts';
import { readReview } from '../admission/review.ts';
import { type OwnerState, withoutFormerOwners } from './owners.ts';

// hack/decisions/0028 M18

const owner = (name: string): OwnerReference => ({ apiVersion, kind: 'MachineSet', name, uid: `uid-${name}` });
const machine = (owners: readonly string[], more: object = {}): KubeObject =>
  ({
    apiVersion,
    kind: 'Machine',
    metadata: { name: 'one', ownerReferences: owners.map(owner) },
    ...more,
  }) as KubeObject;
const saved = { spec: { providerID: 'virtual:///1' } };

/** The owners that are left, what the author is told, and who was asked about. */
async function written(asked: Asked) {
  const looked: string[] = [];
  const find = async ({ name }: OwnerReference) => {
    looked.push(name);
    return name.split('-')[0] as OwnerState;
  };
  const review = readReview(JSON.stringify(reviewOf(asked)));
  if ('unfit' in review) throw new Error(review.unfit);
  const mutate = withoutFormerOwners(async () => ({ patch: [], warnings: [] }), find);
  const { patch, warnings } = await mutate(review.request);
  const [left] = patch.map(({ value }) => value as OwnerReference[]);
  return { left: left?.map(({ name }) => name), uids: left?.map(({ uid }) => uid), warnings, looked };
}

const unchanged = { left: undefined, warnings: [] };

describe('what is made from what was saved', () => {
  test('leaves owners out whose name another has now, and says so', async () => {
    expect(await written({ now: machine(['there', 'replaced', 'unknown']) })).toMatchObject({
      left: ['there', 'unknown'],
      warnings: [
        'left out metadata.ownerReferences to what is not there: MachineSet replaced of UID uid-replaced; the garbage collector would delete this Machine for them',
      ],
    });
  });

  test.each<[string, object]>([
    ['its VM', saved],
    ['its Node', { metadata: { name: 'one', labels: { node: 'one' }, ownerReferences: [owner('missing')] } }],
    ['its phase', { status: { currentStatus: { phase: 'Running' } } }],
    ['what was seen of it', { status: { observedGeneration: 1 } }],
  ])('leaves owners out that are not back yet, if it tells of %s', async (_what, more) => {
    expect((await written({ now: machine(['missing'], more) })).left).toEqual([]);
  });

  test('is asked about a few owners at most', async () => {
    const names = Array.from({ length: 9 }, (_, at) => `replaced-${at}`);
    const { left, looked } = await written({ now: machine(names) });
    expect([left?.length, looked.length]).toEqual([5, 4]);
  });
});

// hack/decisions/0028 O28
describe('what is laid over an object that is there', () => {
  const present = { ...owner('replaced'), uid: 'uid-present' };
  const adopted = machine([], { metadata: { name: 'one', ownerReferences: [present] } });

  test.each<[string, Asked, string[]]>([
    ['brings no owner back that is gone', { now: machine(['replaced']), before: machine([]) }, []],
    ['brings none back that is missing', { now: machine(['missing', 'there']), before: machine([]) }, ['there']],
    ['leaves it its present owner of that name', { now: machine(['replaced']), before: adopted }, ['replaced']],
  ])('%s', async (_what, asked, left) => {
    expect((await written(asked)).left).toEqual(left);
  });

  test('has the present owner by its own UID', async () => {
    expect((await written({ now: machine(['replaced']), before: adopted })).uids).toEqual(['uid-present']);
  });

  test('is not asked about owners that it had', async () => {
    expect((await written({ now: machine(['there']), before: machine(['there']) })).looked).toEqual([]);
  });
});

test.each<[string, Asked]>([
  ['of an owner that is there', { now: machine(['there'], saved) }],
  ['of one of which nobody can tell', { now: machine(['unknown'], saved) }],
  ['of what is new under an owner that has just gone, for the garbage collector', { now: machine(['missing']) }],
  ['of what had them before', { now: machine(['replaced']), before: machine(['replaced']) }],
  ['of what has none', { now: { apiVersion, kind: 'Machine', metadata: { name: 'one' } } }],
  ['of other kinds', { now: { ...machine(['replaced']), apiVersion: 'v1' } }],
])('references stay %s', async (_what, asked) => {
  expect(await written(asked)).toMatchObject(unchanged);
});

// hack/decisions/0028 T88: who writes an object says how many owners it has
test('each of many owners is looked up a few times, and none among all others', async () => {
  const MANY = 1_000;
  let reads = 0;
  const owners = (prefix: string) =>
    Array.from({ length: MANY }, (_, at) => ({
      ...owner('unknown'),
      get uid() {
        reads += 1;
        return `${prefix}-${at}`;
      },
    }));
  const review = readReview(JSON.stringify(reviewOf({ now: machine([]), before: machine([]) })));
  if ('unfit' in review) throw new Error(review.unfit);
  const withOwners = (prefix: string) => ({
    ...machine([]),
    metadata: { name: 'one', ownerReferences: owners(prefix) },
  });
  const request = { ...review.request, object: withOwners('new'), oldObject: withOwners('old') };
  const mutate = withoutFormerOwners(
    async () => ({ patch: [], warnings: [] }),
    async () => 'unknown',
  );
  await mutate(request);
  expect(reads).toBeWithin(1, 40 * MANY);
});
