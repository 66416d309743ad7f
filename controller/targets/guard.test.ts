import { expect, test } from 'bun:test';
import type { GuardFact } from '../model/target.ts';
import { ApiError } from '../runtime/client/api.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import type { KubeObject, Ref, Resource } from '../runtime/k8s/object.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { followGuard } from './guard.ts';

const ACCOUNT = 'system:serviceaccount:drover-system:west-controller';
const BINDING = 'nodes.west-controller.drover-system.drover.dev';

/** What is found out of a target that says that we are this user, and answers so to a look for a binding. */
async function found(
  username: string | undefined,
  ...answers: number[]
): Promise<{ facts: GuardFact[]; asked: string[] }> {
  const [facts, asked, clock, ending] = [[] as GuardFact[], [] as string[], new FakeClock(), new AbortController()];
  const statuses = [...answers];
  const api = {
    create: async () => ({ metadata: { name: '' }, status: { userInfo: { username } } }) as KubeObject,
    get: async (_resource: Resource, { name }: Ref) => {
      asked.push(name);
      const status = statuses.shift() ?? 200;
      if (status === 200) return { metadata: { name } };
      const reason = { 403: 'Forbidden', 404: 'NotFound' }[status] ?? 'InternalError';
      throw new ApiError('refused', { status, reason, mayHaveActed: false });
    },
  } as unknown as Parameters<typeof followGuard>[0]['api'];
  const following = followGuard(
    { api, clock, log: new FakeLog(), name: 'west' },
    (fact) => facts.push(fact),
    ending.signal,
  );
  for (const _ of answers) await clock.advance(600_000);
  ending.abort();
  await following;
  return { facts, asked };
}

test('a target is asked for the policy of the account that we are there', async () => {
  expect(await found(ACCOUNT, 200)).toMatchObject({
    facts: [{ at: 'there' }],
    asked: expect.arrayContaining([BINDING]),
  });
});

test.each<[string, string | undefined, number[], string[]]>([
  ['there is none', ACCOUNT, [404], ['missing', 'there']],
  ['we may not look', ACCOUNT, [403], ['unknown', 'there']],
  ['the server fails', ACCOUNT, [500], ['there']],
  ['somebody takes it away', ACCOUNT, [200, 200, 404, 404], ['there', 'missing', 'there']],
  ['we are an administrator', 'kubernetes-admin', [200], ['missing']],
  ['the target names an account that is none', 'system:serviceaccount:a/../b:c', [200], ['missing']],
  ['it does not say who we are', undefined, [200], ['unknown']],
])('what is told where %s', async (_what, username, answers, told) => {
  expect((await found(username, ...answers)).facts.map(({ at }) => at)).toEqual(told as Array<GuardFact['at']>);
});
