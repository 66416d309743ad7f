import { expect, test } from 'bun:test';
import { planDrain } from './plan.ts';
import { drain, NOW, pod } from './view.fixture.ts';
import { type DrainView, drainReasons } from './view.ts';

const { limits } = drain();
const refused = { refusedSince: NOW - 60_000, answer: { result: 'Refused', reason: 'budget "b"' } } as const;
const failed = { retryAt: NOW + 20_000, answer: { result: 'Failed', reason: 'no answer' } } as const;

test.each<[what: string, facts: Partial<DrainView>, reason: keyof typeof drainReasons, says: string]>([
  ['its time is over', { deadline: NOW, pods: [pod('a')] }, 'DeletePods', 'has run out of time'],
  ['it is forced', { deadline: NOW, forced: true, pods: [pod('a')] }, 'DeletePods', 'is forced'],
  [
    'a pod was refused for long enough',
    { limits: { ...limits, refusedMs: 60_000 }, pods: [pod('a', refused)] },
    'DeletePods',
    'refused them for as long as `maxEvictRetries` says',
  ],
  [
    'an eviction failed',
    { pods: [pod('a', failed)] },
    'EvictionFailed',
    'An eviction or deletion of a pod was not taken',
  ],
  [
    'a claim cannot be looked up',
    { pods: [pod('a', { ...failed, serial: true, lookedUp: 'failed' })] },
    'EvictionFailed',
    'could not be looked up which volumes it has',
  ],
])('what a drain says if %s is said of its reason', (_what, facts, reason, says) => {
  expect(planDrain(drain(facts))).toMatchObject({ reason });
  expect(drainReasons[reason].help).toContain(says);
});
