import { describe, expect, test } from 'bun:test';
import { machine, machineClass } from '../../test/fixtures/objects.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import { act, type Decision, fail, pass, RECONCILED, wait } from '../flow/flow.ts';
import { Urgency } from './urgency.ts';

const powered = { capabilities: ['power'] } as unknown as Driver;

function urgencyOf(driver: Driver = {} as Driver) {
  const provider = machineClass().provider ?? '';
  const urgency = new Urgency({ get: (key) => (key === 'herd/small' ? machineClass() : undefined) });
  urgency.serve(new Map([[provider, driver]]));
  return urgency;
}

const judged = (outcome: Decision<never>['outcome']): Decision<never> => ({ step: 'VMCreated', outcome });

// hack/decisions/0028 W10
describe('a Machine without a VM', () => {
  const one = machine();
  const doing = act('CreateVM', undefined as never);
  const rows: Array<[string, Decision<never>['outcome'], number]> = [
    ['is urgent while its VM is made', wait('DriverCallInProgress', 1), 100],
    ['is urgent while it waits for a slot', wait('WaitingForDriverSlot', 1), 100],
    ['is not while its creation backs off', wait('Unavailable', 5_000), -4],
    ['is not once it was refused', fail('InvalidArgument', 'no such size'), -4],
    ['is not while its class is missing', wait('ClassNotFound', Infinity), -4],
    ['is not while it is paused', wait('Paused', Infinity), -4],
  ];
  test.each(rows)('%s', (_what, outcome, priority) => {
    const urgency = urgencyOf();
    urgency.judged(one, judged(outcome));
    expect(urgency.of(one, 'generic')).toBe(priority);
  });

  test('stays what it was while something is tried again', () => {
    const urgency = urgencyOf();
    urgency.judged(one, judged(fail('Internal', 'no')));
    urgency.judged(one, judged(doing));
    expect(urgency.of(one, 'generic')).toBe(-4);
  });

  test('is urgent again as soon as something changes, and another that takes its name is urgent from the beginning', () => {
    const urgency = urgencyOf();
    urgency.judged(one, judged(fail('Internal', 'no')));
    expect(urgency.of(machine({ metadata: { uid: 'other' } }), 'generic')).toBe(100);
    urgency.changed(one);
    expect(urgency.of(one, 'update')).toBe(100);
  });

  test('was held up before this process began if its status says so', () => {
    const urgency = urgencyOf();
    const told = (reason: string) => machine({ status: { currentStep: { name: 'VMCreated', reason } } });
    expect(urgency.of(told('InvalidArgument'), 'create')).toBe(-1);
    expect(urgency.of(told('DriverCallInProgress'), 'create')).toBe(100);
    urgency.changed(one);
    expect(urgency.of(told('InvalidArgument'), 'create')).toBe(100);
    urgency.forget(one.metadata.uid ?? '');
    expect(urgency.of(told('InvalidArgument'), 'create')).toBe(-1);
  });
});

// hack/decisions/0028 W10; hack/decisions/0051 C5
describe('a Machine that wants another power state', () => {
  const created = { conditions: [{ type: 'VMCreated', status: 'True' as const }], powerState: 'PoweredOn' as const };
  const off = machine({ spec: { powerState: 'PoweredOff' }, status: created });

  test('is urgent where the driver of its class sets it', () => expect(urgencyOf(powered).of(off, 'update')).toBe(99));
  test('is not where it cannot', () => expect(urgencyOf().of(off, 'update')).toBe(-2));
  test('is not where its class is missing', () => {
    const lost = machine({ ...off, spec: { ...off.spec, class: { kind: 'MachineClass', name: 'gone' } } });
    expect(urgencyOf(powered).of(lost, 'update')).toBe(-2);
  });
  test('is when the Machine itself says who makes it', () => {
    const inline = machine({ ...off, spec: { ...off.spec, provider: machineClass().provider ?? '' } });
    expect(urgencyOf(powered).of(inline, 'update')).toBe(99);
  });
  test('is although it settled before', () => {
    const urgency = urgencyOf(powered);
    urgency.judged(off, { step: RECONCILED, outcome: pass });
    expect(urgency.of(off, 'update')).toBe(99);
  });
});
