import { describe, expect, test } from 'bun:test';
import { confirmationOf, UNLISTED_MS } from './confirming.ts';
import { planDrain } from './plan.ts';
import { drain, NOW, pod } from './view.fixture.ts';
import type { DrainView } from './view.ts';

// hack/decisions/0051 L40: a drain ended by what a watch had shown that lagged behind

const unseen = { count: 2, some: ['shop/a', 'shop/b'] };
const clean = { count: 0, some: [] };
const why = 'no answer';

/** What the drain does, such as `wait GetPods 5000`. */
function told(facts: Partial<DrainView>): string {
  const outcome = planDrain(drain(facts));
  if (outcome.kind === 'wait') return `wait ${outcome.reason} ${outcome.ms}`;
  return outcome.kind === 'act' ? outcome.action.do : outcome.kind;
}

type Row = [what: string, facts: Partial<DrainView>, told: string];

describe('a drain of which the cache shows no pod any more', () => {
  const rows: Row[] = [
    ['asks for a list', { listed: { due: true } }, 'lookUpPods'],
    ['waits for it', { listed: { due: false, since: NOW - 1_000 } }, 'wait GetPods 5000'],
    ['ends when that shows no other', { listed: { due: false, unseen: clean } }, 'pass'],
    ['waits for those that it alone shows', { listed: { due: false, unseen } }, 'wait PodCacheStale 5000'],
    ['and asks again', { listed: { due: true, unseen } }, 'lookUpPods'],
    [
      'for as long as its time lasts, also where no later list comes',
      { listed: { due: false, unseen, since: NOW - 3_600_000, why } },
      'wait PodCacheStale 5000',
    ],
    ['no longer', { listed: { due: false, unseen }, deadline: NOW + 2_000 }, 'wait PodCacheStale 2000'],
    ['waits for a list that fails', { listed: { due: false, since: NOW - 1_000, why } }, 'wait GetPods 5000'],
    ['and asks for it again', { listed: { due: true, since: NOW - 20_000, why } }, 'lookUpPods'],
    ['until that lasts', { listed: { due: false, since: NOW - UNLISTED_MS + 1_000, why } }, 'wait GetPods 1000'],
    ['for too long', { listed: { due: true, since: NOW - UNLISTED_MS, why } }, 'pass'],
    ['asks for none by force', { listed: { due: true, unseen }, deadline: NOW }, 'pass'],
    ['nor while volumes are on their way', { ...strayed(), listed: { due: true } }, 'wait WaitingForVolumes 5000'],
    ['nor while the cache shows pods', { pods: [pod('a')], listed: { due: true, unseen } }, 'evictPods'],
  ];
  test.each(rows)('%s', (_what, facts, expected) => expect(told(facts)).toBe(expected));
});

test('it names pods that are waited for, and says why a list failed', () => {
  expect(planDrain(drain({ listed: { due: false, unseen } }))).toMatchObject({
    message: expect.stringContaining(
      'lists 2 pods of the Node that its watch has not shown yet, such as shop/a, shop/b',
    ),
  });
  expect(planDrain(drain({ listed: { due: false, since: NOW, why } }))).toMatchObject({
    message: expect.stringContaining(why),
  });
  expect(confirmationOf(drain({ listed: { due: false, since: NOW - UNLISTED_MS, why } }))).toMatchObject({
    at: 'unlisted',
    message: expect.stringContaining(`has not listed the pods of the Node: ${why}`),
  });
});

function strayed(): Partial<DrainView> {
  return { strays: { volumes: ['pv'], detachBy: NOW + 60_000 } };
}
