import { describe, expect, test } from 'bun:test';
import { drain, NOW, pod } from '../../drain/flow/view.fixture.ts';
import type { DrainView } from '../../drain/flow/view.ts';
import { statusOf } from '../status/status.ts';
import { begun, judge, labelled, leaver, type Row } from './drain.fixture.ts';
import { plan } from './flow.ts';
import { readyNode, view } from './view.fixture.ts';

/** hack/decisions/0051 L40: the VM of a Node went by what a watch had shown that lagged behind. */

/** Nothing runs on the Node as far as the cache shows, and the API server's own list is not known yet. */
const unlisted = (listed: Partial<DrainView['listed']> = {}) => drain({ listed: { due: true, ...listed } });
const unseen = { count: 1, some: ['shop/a'] };
const failed = { since: NOW - 150_000, why: 'no answer' };
const refused = new Map([['Drained', { message: 'no', retryAt: NOW + 600_000 }]]);

describe('a Machine of whose Node the cache shows no pods is drained', () => {
  const rows: Row[] = [
    ['after the cordon', { node: readyNode, drain: unlisted() }, 'Drained', 'act CordonNode'],
    ['until its API server has listed them', { drain: unlisted() }, 'Drained', 'act GetPods'],
    ['while it does', { drain: unlisted({ due: false }) }, 'Drained', 'wait GetPods'],
    ['no more if there is none', {}, 'VMDeleted', 'act DeleteVM'],
    ['from a deadline on record if there are some', { drain: unlisted({ unseen }) }, 'Drained', 'act StartDrain'],
    ['until these are shown', { ...begun, drain: unlisted({ due: false, unseen }) }, 'Drained', 'wait PodCacheStale'],
    ['and have left', { ...begun, drain: { ...unlisted({ unseen }), pods: [pod('a')] } }, 'Drained', 'act EvictPods'],
    [
      'to tell that they could not be listed for long',
      { drain: unlisted({ ...failed, due: false }) },
      'Drained',
      'act StartDrain',
    ],
    ['and not for longer', { ...begun, drain: unlisted(failed) }, 'Drained', 'act DrainSucceeded'],
    ['without a list by force', { machine: leaver(labelled('true')), drain: unlisted() }, 'Drained', 'act StartDrain'],
    [
      'also where the cordon is refused',
      { node: readyNode, refused, drain: unlisted({ unseen }) },
      'Drained',
      'act StartDrain',
    ],
  ];
  test.each(rows)('%s', (_what, facts, step, reason) => expect(judge(facts)).toEqual([step, reason]));
});

test('a drain that ends without a list says so', () => {
  const { outcome } = plan(view({ ...begun, drain: unlisted(failed) }));
  expect(outcome).toMatchObject({ reason: 'DrainSucceeded', message: expect.stringContaining('no answer') });
  expect(plan(view({ ...begun, drain: drain() })).outcome).not.toHaveProperty('message');
});

test('a list that comes soon is not worth a status of its own', () => {
  const written = (since: number) => {
    const seen = view({ machine: leaver(), node: begun.node, drain: unlisted({ due: false, since }) });
    return statusOf(seen, plan(seen), '')?.currentStep?.reason;
  };
  expect([written(NOW - 900), written(NOW - 1_100)]).toEqual([undefined, 'GetPods']);
});
