import { describe, expect, test } from 'bun:test';
import { at, inPhase, machineSet } from '../../test/fixtures/objects.ts';
import { plan } from './flow/flow.ts';
import { view } from './flow/view.fixture.ts';
import { takenBySiblings } from './siblings.ts';

const MAX = 'deployment.kubernetes.io/max-replicas';
const named = (name: string, replicas: number, metadata: object = {}) =>
  machineSet({ metadata: { name, uid: `uid-${name}`, annotations: { [MAX]: '13' }, ...metadata }, spec: { replicas } });
const machines = (count: number, phase = 'Running', metadata = {}) =>
  Array.from({ length: count }, (_, index) => inPhase(phase, 0, { metadata: { name: `m${index}`, ...metadata } }));
const leaving = (count: number) => machines(count, 'Terminating', { deletionTimestamp: at(1) });

describe('what other sets of a deployment take (hack/decisions/0051 S5)', () => {
  const old = named('old', 10, { creationTimestamp: at(-60) });
  const young = named('young', 10, { creationTimestamp: at(60) });
  const self = named('self', 3);

  test.each([
    [
      'an older one: what it has yet to make, and what leaves',
      { set: old, machines: [...machines(8), ...leaving(1)] },
      11,
    ],
    ['a younger one: only what it has', { set: young, machines: [...machines(8), ...leaving(1)] }, 9],
    ['one of the same second: by name', { set: named('a', 10), machines: machines(8) }, 10],
    [
      'an older one that is deleted: only what it has',
      { set: { ...old, metadata: { ...old.metadata, deletionTimestamp: at(1) } }, machines: machines(8) },
      8,
    ],
    [
      'an older one: what it asked for is some of what it has yet to make',
      { set: old, machines: machines(8), births: 1 },
      10,
    ],
    ['an older one that has less now', { set: named('old', 0, old.metadata), machines: leaving(1), births: 2 }, 3],
    [
      'a younger one: what it asked for, too (hack/decisions/0051 S20)',
      { set: young, machines: machines(8), births: 2 },
      10,
    ],
  ])('%s', (_, sibling, taken) => {
    expect(takenBySiblings(self, [sibling])).toBe(taken);
  });

  test('nothing, where a finalizer of somebody else alone keeps what leaves (hack/decisions/0051 S36)', () => {
    const kept = machines(2, 'Terminating', { deletionTimestamp: at(1), finalizers: ['example.com/audit'] });
    const shrunk = named('old', 0, { creationTimestamp: at(-60) });
    expect(takenBySiblings(self, [{ set: shrunk, machines: kept }])).toBe(0);
    const set = machineSet({ spec: { replicas: 2 } });
    const filled = plan(view({ set, machines: kept })).outcome;
    expect(filled).toMatchObject({ reason: 'CreateMachines', action: { names: { length: 2 } } });
  });

  test('nothing, of a set that nobody told how many machines all may have', () => {
    const untold = machineSet();
    expect(takenBySiblings(untold, [{ set: old, machines: machines(8) }])).toBe(0);
  });

  test('it replaces nothing at the limit, as long as what leaves has a VM', () => {
    const set = named('new', 3);
    const held = plan(view({ set, machines: leaving(3), takenBySiblings: 10 })).outcome;
    // hack/decisions/0051 U35
    expect(held).toMatchObject({
      reason: 'WaitingForVMsToGo',
      message:
        'machines that hold, or may hold, a VM: 3, and of other sets of the deployment, with those that are to be made: 10',
    });
    expect(held).toMatchObject({ ms: Infinity });
    // hack/decisions/0028 T65
    expect(plan(view({ set, takenBySiblings: Infinity })).outcome).toMatchObject({
      reason: 'WaitingForVMsToGo',
      message: expect.stringContaining('too many to find out'),
      ms: 60_000,
    });
    // Nothing tells that a machine that was asked for does not come.
    const asked = { set, machines: leaving(3), takenBySiblings: 10, siblingBirths: 1 };
    expect(plan(view(asked)).outcome).toMatchObject({ reason: 'WaitingForVMsToGo', ms: 1_000 });
    expect(plan(view({ set, machines: leaving(1), takenBySiblings: 10 })).outcome).toMatchObject({
      action: { do: 'create', names: { length: 2 } },
    });
  });
});
