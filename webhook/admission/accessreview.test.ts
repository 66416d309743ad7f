import { expect, test } from 'bun:test';
import type { Api } from '../../controller/runtime/client/api.ts';
import { FakeClock } from '../../controller/runtime/clock.fake.ts';
import { createMetrics } from '../../controller/runtime/observability/metrics.ts';
import { webhookMetrics } from '../metrics.ts';
import { createPermission } from './accessreview.ts';

const alice = { username: 'alice', uid: '1', groups: ['herders'], extra: { scopes: ['all'] } };

interface Review {
  spec: { user: string; resourceAttributes: { namespace: string; verb: string } };
}

/** An API server that answers each question by `answer`, and remembers the questions. */
function setUp(answer: (review: Review, signal: AbortSignal) => Promise<boolean> | boolean) {
  const asked: Review[] = [];
  const api = {
    async create(_resource: unknown, review: Review, { signal }: { signal: AbortSignal }) {
      asked.push(review);
      return { ...review, status: { allowed: await answer(review, signal) } };
    },
  } as unknown as Pick<Api, 'create'>;
  const clock = new FakeClock();
  const metrics = createMetrics({ tables: [webhookMetrics] });
  return { permission: createPermission({ api, clock, metrics }), asked, clock, metrics };
}

test('asks for the verb override on machines in the namespace', async () => {
  const { permission, asked } = setUp(() => true);
  expect(await permission(alice, 'west')).toBe(true);
  expect(asked.map(({ spec }) => spec)).toEqual([
    {
      user: 'alice',
      uid: '1',
      groups: ['herders'],
      extra: { scopes: ['all'] },
      resourceAttributes: {
        group: 'machine.sapcloud.io',
        version: 'v1alpha1',
        resource: 'machines',
        verb: 'override',
        namespace: 'west',
      },
    } as unknown as Review['spec'],
  ]);
});

test('believes an answer for 10 seconds, a refusal as well', async () => {
  const { permission, asked, clock, metrics } = setUp(() => false);
  expect(await permission(alice, 'west')).toBe(false);
  await clock.advance(9_999);
  expect(await permission(alice, 'west')).toBe(false);
  expect(asked.length).toBe(1);
  await clock.advance(1);
  await permission(alice, 'west');
  expect(asked.length).toBe(2);
  expect(await metrics.text()).toContain('drover_webhook_access_reviews_total{result="hit"} 1');
  expect(await metrics.text()).toContain('drover_webhook_access_reviews_total{result="miss"} 2');
});

test.each([
  ['user', { ...alice, username: 'bob' }, 'west'],
  ['uid', { ...alice, uid: '2' }, 'west'],
  ['groups', { ...alice, groups: ['herders', 'admins'] }, 'west'],
  ['extra', { ...alice, extra: { scopes: ['none'] } }, 'west'],
  ['namespace', alice, 'east'],
])('does not take an answer for another %s', async (_what, user, namespace) => {
  const { permission, asked } = setUp(() => true);
  await permission(alice, 'west');
  await permission(user, namespace);
  expect(asked.length).toBe(2);
});

test('forgets the answer that was asked for longest ago when there are too many', async () => {
  const { permission, asked, clock } = setUp(() => true);
  for (let index = 0; index < 1_000; index++) {
    await permission(alice, `n${index}`);
    await clock.advance(5);
  }
  await permission(alice, 'n0');
  await permission(alice, 'n1000');
  await permission(alice, 'n0');
  expect(asked.length).toBe(1_001);
  await permission(alice, 'n1');
  expect(asked.length).toBe(1_002);
});

test('a failure is thrown and not remembered', async () => {
  let works = false;
  const { permission, metrics } = setUp(() => {
    if (!works) throw new Error('connection refused');
    return true;
  });
  await expect(permission(alice, 'west')).rejects.toThrow('connection refused');
  works = true;
  expect(await permission(alice, 'west')).toBe(true);
  expect(await metrics.text()).toContain('drover_webhook_access_reviews_total{result="error"} 1');
});

test('an API server that does not answer is given up after 3 seconds', async () => {
  const { permission, clock } = setUp(
    (_review, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  );
  const answer = permission(alice, 'west');
  answer.catch(() => {});
  await clock.advance(3_000);
  await expect(answer).rejects.toThrow('no answer within 3000 ms');
  expect(clock.pending).toBe(0);
});

/** An API server that answers when it is told to. */
function setUpSlow() {
  const ends: Array<() => void> = [];
  const answer = (_review: Review, signal: AbortSignal) =>
    new Promise<boolean>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      ends.push(() => resolve(true));
    });
  return { ...setUp(answer), ends };
}

// hack/decisions/0028 W13
test('a question that is under way is not asked again, and its failure is everybody’s', async () => {
  const { permission, asked, ends, clock, metrics } = setUpSlow();
  const first = [permission(alice, 'west', '10.0.0.1'), permission(alice, 'west', '10.0.0.1')];
  await clock.advance(0);
  expect(asked.length).toBe(1);
  ends[0]?.();
  expect(await Promise.all(first)).toEqual([true, true]);
  expect(await metrics.text()).toContain('drover_webhook_access_reviews_total{result="hit"} 1');
  await clock.advance(10_000);
  const second = [permission(alice, 'west'), permission(alice, 'west')].map((one) => one.catch(String));
  await clock.advance(3_000);
  expect(await Promise.all(second)).toEqual(Array(2).fill('Error: no answer within 3000 ms'));
});

// hack/decisions/0028 W6
test('nobody waits for the question of another address, which may never have its turn', async () => {
  const { permission, asked, clock } = setUpSlow();
  void permission(alice, 'west', '10.0.0.1').catch(() => {});
  void permission(alice, 'west', '10.0.0.2').catch(() => {});
  await clock.advance(0);
  expect(asked.length).toBe(2);
});

// hack/decisions/0028 W6
test('who makes up users keeps nobody else from an answer, neither at another address nor in another namespace', async () => {
  const { permission, asked, clock } = setUp(() => true);
  for (let index = 0; index < 5_000; index++)
    void permission({ ...alice, username: `nobody-${index}` }, 'made-up', '10.6.6.6').catch(() => {});
  await clock.advance(1_000);
  const answers = Promise.all([permission(alice, 'west', '10.0.0.1'), permission(alice, 'west', '10.6.6.6')]);
  await clock.advance(20);
  expect(await answers).toEqual([true, true]);
  expect(asked.length).toBeLessThan(1_000);
});

// hack/decisions/0028 W6: whoever reaches the port makes up users, and what is kept of them must not be theirs to choose.
test('a user of whom too much is told is asked about by nobody', async () => {
  const { permission, asked } = setUp(() => true);
  const swollen = { ...alice, extra: { scopes: ['x'.repeat(70_000)] } };
  await expect(permission(swollen, 'west')).rejects.toThrow('more than 65536 characters of its user');
  expect(asked).toEqual([]);
});

// hack/decisions/0028 W6
test('32 questions are under way at once, and whoever comes from another address has the next place', async () => {
  const { permission, asked, ends, clock } = setUpSlow();
  const ask = (username: string, from: string) => permission({ ...alice, username }, 'west', from).catch(() => {});
  for (let index = 0; index < 500; index++) void ask(`nobody-${index}`, '10.6.6.6');
  void ask('bob', '10.0.0.1');
  await clock.advance(0);
  expect(asked.length).toBe(32);
  ends[0]?.();
  ends[1]?.();
  await clock.advance(0);
  expect(asked.slice(32).map(({ spec }) => spec.user)).toContain('bob');
  expect(asked.length).toBe(34);
});
