import { describe, expect, test } from 'bun:test';
import { FINALIZER } from '../../../schemas/keys.ts';
import { inPhase, machine, node } from '../../../test/fixtures/objects.ts';
import { drain } from '../../drain/flow/view.fixture.ts';
import { DriverError } from '../../drivers/sdk/errors.ts';
import { Life, VM } from '../life.fixture.ts';
import { busy, cordoned, drainFrom, judge, leaver } from './drain.fixture.ts';
import type { MachineView } from './view.ts';

const known = machine({
  metadata: { labels: { node: 'm' }, finalizers: [FINALIZER] },
  spec: { providerID: VM.providerID },
});

test('a Machine that is deleted twice leaves once: one call, and the clocks of the first deletion', async () => {
  const { promise, resolve } = Promise.withResolvers<object>();
  let isThere = true;
  const deleteMachine = () => promise.finally(() => (isThere = false));
  const getMachineStatus = () => (isThere ? Promise.resolve(VM) : Promise.reject(new DriverError('NotFound', 'gone')));
  const life = new Life({ deleteMachine, getMachineStatus }, { one: known, hasTarget: false });
  await life.pass(10);
  await life.remove();
  await life.pass(5);
  const { deletionTimestamp } = (await life.machine()).metadata;
  await life.remove();
  await life.pass(5);
  expect((await life.machine()).metadata.deletionTimestamp).toBe(deletionTimestamp as string);
  resolve({});
  await life.pass(60);
  expect((await life.left()).machine).toBe(false);
  expect(life.called['deleteMachine']).toHaveLength(1);
});

describe('a Machine that is deleted while it is updated in place', () => {
  const updating = (status: object = {}) =>
    leaver({ status: { ...inPhase('InPlaceUpdating').status, ...status } as MachineView['machine']['status'] });
  const conditions = (cordoned.object.status?.conditions ?? []).concat({
    type: 'InPlaceUpdate',
    status: 'True',
    reason: 'ReadyForUpdate',
  });
  const object = node({
    metadata: {
      labels: {
        'node.machine.sapcloud.io/candidate-for-update': 'true',
        'node.machine.sapcloud.io/selected-for-update': 'true',
      },
    },
    spec: { unschedulable: true },
    status: { conditions },
  });
  const updated = { ...cordoned, object, conditions };

  test.each<[string, Partial<MachineView>, string[]]>([
    [
      'begins a drain of its own: pods may have come since the Node was emptied',
      { machine: updating(), drain: busy() },
      ['Drained', 'act StartDrain'],
    ],
    ['evicts them', { machine: updating(drainFrom(60)), drain: busy() }, ['Drained', 'act EvictPods']],
    ['loses its VM at once if there are none', { machine: updating(), drain: drain() }, ['VMDeleted', 'act DeleteVM']],
  ])('%s', (_what, facts, expected) => expect(judge({ ...facts, node: updated })).toEqual(expected));
});
