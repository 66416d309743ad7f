import { expect, test } from 'bun:test';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { at, machine, machineDeployment, machineSet } from '../../test/fixtures/objects.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { isRolledBeside } from './machine.ts';
import { byOwner, ownedBy } from './ownership.ts';

// hack/decisions/0063

const MARK = { 'deployment.machine.sapcloud.io/prefer-no-schedule': 'True' };
const pool = machineDeployment({ metadata: { name: 'pool', uid: 'uid-pool' } });
const other = machineDeployment({ metadata: { name: 'other', uid: 'uid-other' } });

const setOf = (name: string, { owner = pool, ...metadata }: { owner?: typeof pool; annotations?: object } = {}) => {
  const ownerReferences = [ownedBy(owner, 'MachineDeployment')];
  return machineSet({ metadata: { name, uid: `uid-${name}`, ownerReferences, ...metadata } as MachineSet['metadata'] });
};
const machineOf = (name: string, set: MachineSet, metadata: object = {}) =>
  machine({
    metadata: { name, uid: `uid-${name}`, ownerReferences: [ownedBy(set, 'MachineSet')], ...metadata },
  } as Parameters<typeof machine>[0]);

const cached = <T extends Machine | MachineSet>(objects: readonly T[]): Cache<T> => {
  const cache = new Cache<T>({ indexes: { owner: byOwner } });
  for (const object of objects) cache.put(object);
  return cache;
};
const rolled = (sets: MachineSet[], machines: Machine[], one = machines[0] ?? machine()) =>
  isRolledBeside({ sets: cached(sets), machines: cached(machines) }, one);

const fresh = setOf('fresh');
const old = setOf('old', { annotations: MARK });
const one = machineOf('one', fresh);
const kept = { deletionTimestamp: at(1), finalizers: ['theirs'] };

test.each<[what: string, sets: MachineSet[], others: Machine[], wanted: boolean]>([
  ['beside a marked set with machines', [fresh, old], [machineOf('two', old)], true],
  ['not beside one that has none left', [fresh, old], [], false],
  ['not beside one whose machines only others keep', [fresh, old], [machineOf('two', old, kept)], false],
  ['not beside one without a mark', [fresh, setOf('old')], [machineOf('two', setOf('old'))], false],
  ['not for a mark of its own set', [setOf('fresh', { annotations: MARK })], [machineOf('two', fresh)], false],
  [
    'not beside a set of another deployment',
    [fresh, setOf('old', { owner: other, annotations: MARK })],
    [machineOf('two', old)],
    false,
  ],
  [
    'not where its set is another one by now',
    [{ ...fresh, metadata: { ...fresh.metadata, uid: 'x' } }, old],
    [machineOf('two', old)],
    false,
  ],
])('machines are rolled %s', (_what, sets, others, wanted) => {
  expect(rolled(sets, [one, ...others])).toBe(wanted);
});

test('nobody looks through very many sets', () => {
  const many = Array.from({ length: 101 }, (_, index) => setOf(`empty-${index}`));
  expect(rolled([fresh, old, ...many], [one, machineOf('two', old)])).toBe(false);
});

test('a machine of nobody’s has no deployment', () => {
  expect(rolled([old], [machine(), machineOf('two', old)])).toBe(false);
});
