import { describe, expect, test } from 'bun:test';
import { endedByForce, planDrain } from './plan.ts';
import { drain, heavy, moving, NOW, pod } from './view.fixture.ts';
import type { DrainView } from './view.ts';

const refused = {
  refusedSince: NOW,
  retryAt: NOW + 20_000,
  answer: { result: 'Refused', reason: 'budget "b"' },
} as const;
const { limits } = drain();
const atOnce = { ...limits, refusedMs: 0 };
const failed = { retryAt: NOW + 20_000, answer: { result: 'Failed', reason: 'no answer' } } as const;
const leaving = { endsAt: NOW + 30_000 };
const forced = { deadline: NOW };
const silent = { ...failed, retryAt: NOW - 1 };
const sent = { deleteAt: NOW - 1 };
const none = { eviction: { first: 0, again: 0 }, deletion: { first: 0, again: 0 } };
const narrow = { eviction: { first: 1, again: 1 }, deletion: { first: 1, again: 1 } };
const soon = NOW + 3_000;

/** What the drain does, such as `evictPods a b`, or `wait PodsTerminating 5000`. */
function told(facts: Partial<DrainView>): string {
  const outcome = planDrain(drain(facts));
  if (outcome.kind === 'wait') return `wait ${outcome.reason} ${outcome.ms}`;
  if (outcome.kind !== 'act') return outcome.kind;
  const { action } = outcome;
  if (action.do === 'endHandover') return `endHandover${action.late ? ' late' : ''}`;
  return 'pods' in action ? [action.do, ...action.pods.map(({ name }) => name)].join(' ') : action.do;
}

type Row = [what: string, facts: Partial<DrainView>, told: string];

describe('a drain in good time (hack/spec/mcm.md 7.3)', () => {
  const rows: Row[] = [
    ['has ended when no pod is left', {}, 'pass'],
    ['knows nothing before the pods are listed', { podsKnown: false }, 'wait PodsUnknown 5000'],
    ['evicts pods without volumes all at once', { pods: [pod('a'), pod('b')] }, 'evictPods a b'],
    ['evicts as many as there is room for', { pods: [pod('a'), pod('b')], room: narrow }, 'evictPods a'],
    ['never evicts a pod a second time that is leaving', { pods: [pod('a', leaving)] }, 'wait PodsTerminating 5000'],
    [
      'nor one whose eviction is under way',
      { pods: [pod('a', { inFlight: 'eviction' })] },
      'wait PodsTerminating 5000',
    ],
    [
      'nor one that was just evicted and does not show it',
      { pods: [pod('a', { retryAt: NOW + 20_000 })] },
      'wait PodsTerminating 5000',
    ],
    [
      'waits for a pod that hangs past its grace, and never deletes it',
      { pods: [pod('a', { endsAt: NOW - 600_000 })] },
      'wait PodsTerminating 5000',
    ],
    [
      'waits before it asks again for one that a budget holds',
      { pods: [pod('a', refused)] },
      'wait EvictionBlocked 5000',
    ],
    [
      'tells of a budget that is misconfigured, and asks again in case it was mended (hack/spec/mcm.md 7.3)',
      { pods: [pod('a', { ...refused, answer: { result: 'Misconfigured', reason: 'budget "b"' } })] },
      'wait PodDisruptionBudgetMisconfigured 5000',
    ],
    [
      'counts no refusal any more where something else failed since',
      {
        pods: [pod('a', { ...failed, refusedSince: NOW - 60_000, retryAt: NOW })],
        limits: { ...limits, refusedMs: 60_000 },
      },
      'evictPods a',
    ],
    [
      'asks those first that were not asked in vain, which have room of their own',
      { pods: [pod('a', silent), pod('b'), pod('c', { ...silent, retryAt: NOW - 2 }), pod('d')], room: narrow },
      'evictPods b c',
    ],
    ['asks again when it is time', { pods: [pod('a', { ...refused, retryAt: NOW })] }, 'evictPods a'],
    ['goes on with the others meanwhile', { pods: [pod('a', refused), pod('b')] }, 'evictPods b'],
    ['tells of a call that failed', { pods: [pod('a', failed)] }, 'wait EvictionFailed 5000'],
    [
      'deletes a pod that was refused for as long as told',
      {
        pods: [pod('a', { ...refused, refusedSince: NOW - 60_000 }), pod('b')],
        limits: { ...limits, refusedMs: 60_000 },
      },
      'deletePods a',
    ],
    ['looks again at its deadline', { pods: [pod('a', leaving)], deadline: NOW + 3_000 }, 'wait PodsTerminating 3000'],
    [
      'also for pods that are to complete',
      { pods: [pod('job', { completing: true })], deadline: NOW + 3_000 },
      'wait PodsCompleting 3000',
    ],
    ['deletes pods unasked where refusals have no time', { pods: [pod('a')], limits: atOnce }, 'deletePods a'],
    [
      'waits for one that was deleted without grace',
      { pods: [pod('a', { ...leaving, killed: true })] },
      'wait PodsTerminating 5000',
    ],
    [
      'looks again when a pod may be asked',
      { pods: [pod('a', { retryAt: NOW + 2_000 })] },
      'wait PodsTerminating 2000',
    ],
    ['not at a moment that is over', { pods: [pod('a', { ...leaving, retryAt: NOW })] }, 'wait PodsTerminating 5000'],
    [
      'tells of the one that was refused among those that were not asked',
      { pods: [pod('a', { retryAt: NOW + 20_000 }), pod('b', refused)] },
      'wait EvictionBlocked 5000',
    ],
    ['not once it leaves', { pods: [pod('a', { ...refused, ...leaving })] }, 'wait PodsTerminating 5000'],
    [
      'tells of it before volumes that are on their way',
      { pods: [pod('a', refused), pod('b', leaving)], handover: moving() },
      'wait EvictionBlocked 5000',
    ],
  ];
  test.each(rows)('%s', (_what, facts, expected) => expect(told(facts)).toBe(expected));
});

describe('pods that a budget lets go by now', () => {
  const freed = (name: string, allowed: number, budget = 'shop/b') => pod(name, { freed: { budget, allowed } });
  const inFlight = (budget?: string) => pod('f', { inFlight: 'eviction', ...(budget !== undefined && { budget }) });
  const rows: Row[] = [
    ['are asked as many at once as it lets go', { pods: [freed('a', 1), freed('b', 1)] }, 'evictPods a'],
    ['all if it lets all go', { pods: [freed('a', 2), freed('b', 2)] }, 'evictPods a b'],
    ['each by its own', { pods: [freed('a', 1), freed('b', 1, 'shop/c')] }, 'evictPods a b'],
    ['beside those that none holds', { pods: [freed('a', 1), freed('b', 1), pod('c')] }, 'evictPods a c'],
    ['with those that are being asked', { pods: [inFlight('shop/b'), freed('a', 1)] }, 'wait PodsTerminating 5000'],
    ['of which there may be one', { pods: [inFlight('shop/b'), freed('a', 2), freed('b', 2)] }, 'evictPods a'],
    ['not with others’', { pods: [inFlight('shop/c'), freed('a', 1)] }, 'evictPods a'],
    ['nor with those that no budget held', { pods: [inFlight(), freed('a', 1)] }, 'evictPods a'],
  ];
  test.each(rows)('%s', (_what, facts, expected) => expect(told(facts)).toBe(expected));
});

describe('pods with volumes (hack/spec/mcm.md 7.4)', () => {
  const rows: Row[] = [
    [
      'leave one after the other, the most important first',
      { pods: [heavy('a'), heavy('b', { priority: 9 })] },
      'evictPods b',
    ],
    ['of one priority by name', { pods: [heavy('b'), heavy('a')] }, 'evictPods a'],
    ['beside the others, who wait for nobody', { pods: [pod('x'), heavy('a'), heavy('b')] }, 'evictPods x a'],
    [
      'not while the eviction of another is under way',
      { pods: [heavy('a', { inFlight: 'eviction' }), heavy('b')] },
      'wait PodsTerminating 5000',
    ],
    ['let others pass when a budget holds them', { pods: [heavy('a', refused), heavy('b')] }, 'evictPods b'],
    [
      'that leave by themselves, or since before a restart, are followed',
      { pods: [heavy('a', leaving), heavy('b', { priority: 9 })] },
      'evictPods b',
    ],
    ['that leave and are next are only followed', { pods: [heavy('a', leaving), heavy('b')] }, 'evictPods a'],
    ['when it is time', { pods: [heavy('a', { ...leaving, retryAt: NOW })] }, 'evictPods a'],
    ['and not before', { pods: [heavy('a', { ...leaving, retryAt: NOW + 1 })] }, 'wait PodsTerminating 1'],
    [
      'whose volumes nobody follows let the next one go',
      { pods: [heavy('a', { ...leaving, followed: true }), heavy('b')] },
      'evictPods b',
    ],
    [
      'wait until the volumes of the last one are gone from here',
      { pods: [heavy('b')], handover: moving() },
      'wait WaitingForVolumes 5000',
    ],
    ['while those without go', { pods: [pod('x'), heavy('b')], handover: moving() }, 'evictPods x'],
    [
      'and a failed detachment is remembered: a time-out is a time-out',
      { pods: [heavy('b')], handover: moving({ detachBy: NOW }) },
      'endHandover late',
    ],
    ['then for their attachment elsewhere', { handover: moving({ here: false }) }, 'noteDetached'],
    [
      'which is given its time',
      { handover: moving({ here: false, reattachBy: NOW + 90_000 }) },
      'wait WaitingForVolumes 5000',
    ],
    ['and no more', { handover: moving({ here: false, reattachBy: NOW }) }, 'endHandover'],
    ['and ends when all are attached', { handover: moving({ here: false, elsewhere: true }) }, 'endHandover'],
    [
      'looked at when the time to come off ends',
      { handover: moving({ detachBy: soon }) },
      'wait WaitingForVolumes 3000',
    ],
    [
      'or that to be attached elsewhere',
      { handover: moving({ here: false, reattachBy: soon }) },
      'wait WaitingForVolumes 3000',
    ],
    [
      'or that of those which are nobody’s',
      { strays: { volumes: ['v'], detachBy: soon } },
      'wait WaitingForVolumes 3000',
    ],
    ['which have no more', { strays: { volumes: ['v'], detachBy: NOW } }, 'giveUpVolumes'],
    // hack/decisions/0051 L39
    ['are not waited for where nobody is to', { handover: moving(), volumesUnawaited: true }, 'endHandover'],
    ['those of nobody neither', { strays: { volumes: ['v'], detachBy: soon }, volumesUnawaited: true }, 'pass'],
  ];
  test.each(rows)('%s', (_what, facts, expected) => expect(told(facts)).toBe(expected));
});

describe('a drain whose time is over, or that is forced (hack/spec/mcm.md 7.2)', () => {
  const rows: Row[] = [
    [
      'deletes all pods at once, those that leave and those with volumes too',
      { ...forced, pods: [pod('a'), pod('b', leaving), heavy('c', refused), heavy('d')] },
      'deletePods a b c d',
    ],
    [
      'has ended when all are deleted, whether they are gone or not',
      { ...forced, pods: [pod('a', { killed: true })] },
      'pass',
    ],
    ['does not wait for volumes', { ...forced, handover: moving() }, 'pass'],
    ['tries again what failed', { ...forced, pods: [pod('a', { ...failed, deleteAt: NOW })] }, 'deletePods a'],
    ['after a while', { ...forced, pods: [pod('a', { deleteAt: NOW + 5_000 })] }, 'wait PodsTerminating 5000'],
    [
      'ends after a minute with what is left',
      {
        deadline: NOW - 60_000,
        pods: [pod('a', { inFlight: 'deletion' }), pod('b', { ...failed, deleteAt: NOW + 1 })],
      },
      'pass',
    ],
    // hack/decisions/0051 L60
    [
      'deletes those for which there was no room',
      { deadline: NOW - 60_000, pods: [pod('a'), pod('b', sent)] },
      'deletePods a b',
    ],
    ['waits for it', { deadline: NOW - 60_000, pods: [pod('a')], room: none }, 'wait PodsTerminating 5000'],
    ['not for ever', { deadline: NOW - 299_000, pods: [pod('a')], room: none }, 'wait PodsTerminating 1000'],
    ['then ends', { deadline: NOW - 300_000, pods: [pod('a')] }, 'pass'],
    [
      'not for one that nobody may delete yet',
      { deadline: NOW - 60_000, pods: [pod('a', { undecided: true })] },
      'pass',
    ],
    [
      'deletes those first that were never deleted',
      { ...forced, pods: [pod('a', sent), pod('b')], room: narrow },
      'deletePods b a',
    ],
    [
      'then whose turn is longest over',
      { ...forced, pods: [pod('a', sent), pod('b', { deleteAt: NOW - 2 })], room: narrow },
      'deletePods b',
    ],
    [
      'not a moment sooner',
      { deadline: NOW - 59_000, pods: [pod('a', { inFlight: 'deletion' })] },
      'wait PodsTerminating 1000',
    ],
    ['deletes what is being evicted', { ...forced, pods: [pod('a', { inFlight: 'eviction' })] }, 'deletePods a'],
    ['gives up listing pods', { deadline: NOW - 60_000, forced: true, podsKnown: false }, 'pass'],
    [
      'not before the minute is over',
      { deadline: NOW - 59_999, forced: true, podsKnown: false },
      'wait PodsUnknown 5000',
    ],
    // hack/decisions/0028: a VM went under pods that nobody had evicted
    ['not because its time is over', { deadline: NOW - 900_000, podsKnown: false }, 'wait PodsUnknown 5000'],
  ];
  test.each(rows)('%s', (_what, facts, expected) => expect(told(facts)).toBe(expected));
});

test.each([
  ['in good time', {}, false],
  ['at its deadline', forced, true],
  ['with volumes left behind (hack/spec/mcm.md 12.6: that was a success)', { volumesLate: true }, true],
] as const)('a drain that ends %s', (_what, facts, expected) => {
  expect(endedByForce(drain(facts))).toBe(expected);
});
