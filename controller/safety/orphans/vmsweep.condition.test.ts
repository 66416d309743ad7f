import { expect, test } from 'bun:test';
import { at, machineClass } from '../../../test/fixtures/objects.ts';
import type { SweptReason } from './flow/plan.ts';
import { type ClassReasons, conditionsWith } from './vmsweep.ts';

const told = (reason: SweptReason): ClassReasons => ({
  OrphanSweepSucceeded: reason,
  VMDeletionVerified: reason === 'ListNotSupported' ? 'StatusNotSupported' : 'StatusSupported',
});

const of = (reason: SweptReason, before: SweptReason | undefined) => {
  const conditions = before && (conditionsWith(machineClass(), told(before), at(1)) ?? []);
  return conditionsWith(machineClass(conditions ? { status: { conditions } } : {}), told(reason), at(2));
};

test.each<[string, SweptReason, SweptReason | undefined, string]>([
  ['that is swept for the first time', 'SweepSucceeded', undefined, 'True SweepSucceeded 2'],
  ['whose list fails', 'ListFailed', 'SweepSucceeded', 'False ListFailed 2'],
  ['whose list fails for another reason', 'SecretNotFound', 'ListFailed', 'False SecretNotFound 1'],
  ['that is swept again', 'SweepSucceeded', 'ListFailed', 'True SweepSucceeded 2'],
])('a class %s tells so', (_what, reason, before, says) => {
  const told = of(reason, before)?.find(({ type }) => type === 'OrphanSweepSucceeded');
  expect(`${told?.status} ${told?.reason} ${(Date.parse(told?.lastTransitionTime ?? '') % 60_000) / 1000}`).toBe(says);
});

test('a class tells whether its driver can say that a VM is gone (hack/decisions/0055)', () => {
  const said = (reason: SweptReason) =>
    of(reason, undefined)
      ?.filter(({ type }) => type === 'VMDeletionVerified')
      .map(({ status, reason }) => `${status} ${reason}`);
  expect([said('SweepSucceeded'), said('ListNotSupported')]).toEqual([
    ['True StatusSupported'],
    ['False StatusNotSupported'],
  ]);
});

test('nothing is written of a class whose sweeps go on, and the conditions of others stay', () => {
  expect(of('SweepSucceeded', 'SweepSucceeded')).toBeUndefined();
  const other = { type: 'Other', status: 'True' as const, reason: 'Other', message: '', lastTransitionTime: at(0) };
  const conditions = conditionsWith(machineClass({ status: { conditions: [other] } }), told('SweepSucceeded'), at(1));
  expect(conditions?.map(({ type }) => type)).toEqual(['Other', 'OrphanSweepSucceeded', 'VMDeletionVerified']);
});
