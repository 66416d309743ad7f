import { describe, expect, test } from 'bun:test';
import { at } from '../../../test/fixtures/objects.ts';
import { begun, busy, drainFrom, leaver } from './drain.fixture.ts';
import { deletionStatus } from './drain.ts';
import { view } from './view.fixture.ts';
import type { MachineView } from './view.ts';
import { standsBack } from './writefailures.ts';

describe('the status tells of the pods', () => {
  const told = (facts: Partial<MachineView>) => deletionStatus(view({ ...begun, ...facts })).deletion?.drain?.pods;

  test('now and then', () => {
    expect(told({ drain: busy() })).toBeUndefined();
    expect(told({ drain: busy({ reportDue: true }) })).toEqual([{ name: 'shop/a', result: 'Waiting' }]);
  });

  test('until the drain has ended', () => {
    const machine = leaver({ status: drainFrom(60, { endedAt: at(60) }) });
    expect(told({ machine, drain: busy({ reportDue: true }) })).toBeUndefined();
  });
});

test('clocks that cannot be written are tried again with back-off: a drain without them would never end', () => {
  const deletion = { startedAt: at(30) };
  const refused = { step: 'Drained', isByPolicy: false, judgedMs: 0 };
  expect(standsBack(view(), { ...refused, action: { do: 'recordDeletion', deletion } })).toBe(false);
  expect(standsBack(view(), { ...refused, action: { do: 'changeNode', change: { unschedulable: true } } })).toBe(true);
});
