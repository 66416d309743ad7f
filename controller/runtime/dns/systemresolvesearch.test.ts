import { describe, expect, test } from 'bun:test';
import { FakeClock } from '../clock.fake.ts';
import { hostsIn, type Questioner, resolveBy, searchListIn } from './resolve.ts';

// hack/decisions/0028 O21

/** What DNS servers say of a name: addresses, the code of a failure, or nothing at all. */
type Answer = readonly string[] | string | undefined;
type Answers = (name: string, family: 4 | 6) => Answer;

/** Names of a machine whose servers say this. */
function scene(answers: Answers, { search = '', hosts = '', isSixOnly = false } = {}) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const questioner = (): Questioner => {
    const waiting: Array<(reason: unknown) => void> = [];
    const ask = (name: string, family: 4 | 6) => {
      asked.push(`${name} ${family}`);
      const answer = answers(name, family);
      const { promise, resolve, reject } = Promise.withResolvers<string[]>();
      waiting.push(reject);
      if (typeof answer === 'string') reject({ code: answer });
      else if (answer) resolve([...answer]);
      return promise;
    };
    return {
      resolve4: ((name: string) => ask(name, 4)) as Questioner['resolve4'],
      resolve6: ((name: string) => ask(name, 6)) as Questioner['resolve6'],
      cancel: () => {
        for (const reject of waiting) reject({ code: 'ECANCELLED' });
      },
    };
  };
  const list = searchListIn(search);
  const known = hostsIn(hosts);
  const sources = { clock, questioner, search: () => list, hosts: () => known, isSixOnly: () => isSixOnly };
  return { clock, asked, resolve: resolveBy(sources) };
}

const POD = { search: 'search svc.cluster.local corp\noptions ndots:5' };

/** Knows the absolute name; below the last search domain it fails so. */
const cutOff =
  (answer: Answer): Answers =>
  (name) => {
    if (name.endsWith('.corp.')) return answer;
    return name === 'api.shoot.test.' ? ['192.0.2.7'] : 'ENOTFOUND';
  };

test.each(['ENOTFOUND', 'ESERVFAIL', 'EREFUSED', 'ETIMEOUT', 'ENODATA'])(
  'a search domain that answers %s keeps no name from being resolved',
  async (code) => {
    const { resolve, asked } = scene(cutOff(code), POD);
    expect(await resolve('api.shoot.test')).toEqual(['192.0.2.7', '192.0.2.7']);
    expect(asked.filter((one) => one.endsWith('4'))).toEqual([
      'api.shoot.test.svc.cluster.local. 4',
      'api.shoot.test.corp. 4',
      'api.shoot.test. 4',
    ]);
  },
);

test('a search domain that is silent keeps none either', async () => {
  const { resolve, clock } = scene(cutOff(undefined), POD);
  const found = resolve('api.shoot.test');
  await clock.advance(5_000);
  expect(await found).toContain('192.0.2.7');
  expect(clock.pending).toBe(0);
});

test('however many are silent, the time is bounded, and the name itself has its turn', async () => {
  const search = `search ${Array.from({ length: 32 }, (_, at) => `d${at}`).join(' ')}\noptions ndots:5`;
  const { resolve, clock } = scene((name) => (name === 'api.' ? ['192.0.2.7'] : undefined), { search });
  const found = resolve('api');
  await clock.advance(20_000);
  expect(await found).toContain('192.0.2.7');
});

test('the name as it stands comes first when it has dots enough', async () => {
  const { resolve, asked } = scene(() => ['192.0.2.7'], { search: 'search corp' });
  await resolve('api.shoot.test');
  expect(asked).toEqual(['api.shoot.test. 4', 'api.shoot.test. 6']);
});

describe('of two families', () => {
  test.each([
    ['fails', 'ESERVFAIL'],
    ['has none', 'ENOTFOUND'],
  ])('one that %s does not spoil the other', async (_what, code) => {
    const { resolve } = scene((_name, family) => (family === 6 ? code : ['192.0.2.7']));
    expect(await resolve('api.test.')).toEqual(['192.0.2.7']);
  });

  test('one that is silent is not waited for long', async () => {
    const { resolve, clock } = scene((_name, family) => (family === 4 ? undefined : ['2001:db8::7']));
    const found = resolve('api.test.');
    await clock.advance(1_000);
    expect(await found).toEqual(['2001:db8::7']);
  });

  test.each([
    [false, ['192.0.2.7', '2001:db8::7']],
    [true, ['2001:db8::7', '192.0.2.7']],
  ])('that of the machine comes first (IPv6 alone: %p)', async (isSixOnly, addresses) => {
    const { resolve } = scene((_name, family) => (family === 4 ? ['192.0.2.7'] : ['2001:db8::7']), { isSixOnly });
    expect(await resolve('api.test.')).toEqual(addresses);
  });
});

describe('who has no address', () => {
  test.each([
    ['is none where all say so', () => 'ENOTFOUND', 'DNS_ENOTFOUND'],
    [
      'is not known where one fails',
      (name: string) => (name.endsWith('.corp.') ? 'ESERVFAIL' : 'ENODATA'),
      'DNS_ESERVFAIL',
    ],
    [
      'nor where one family does',
      (_name: string, family: 4 | 6) => (family === 6 ? 'EREFUSED' : 'ENOTFOUND'),
      'DNS_EREFUSED',
    ],
  ])('%s', async (_what, answers, code) => {
    await expect(scene(answers, POD).resolve('api.shoot.test')).rejects.toMatchObject({ name: 'NameUnresolved', code });
  });

  test('nor where nobody answers', async () => {
    const { resolve, clock } = scene(() => undefined);
    const failed = resolve('api.test.').catch(({ code }) => code);
    await clock.advance(5_000);
    expect(await failed).toBe('DNS_ETIMEOUT');
  });
});

test.each([
  ['127.0.0.9', ['127.0.0.9']],
  ['2001:db8::1', ['2001:db8::1']],
  ['API', ['192.0.2.8']],
  ['api.', ['192.0.2.8']],
])('nobody is asked for %s', async (name, addresses) => {
  const { resolve, asked } = scene(() => ['192.0.2.7'], { hosts: '192.0.2.8 api' });
  expect(await resolve(name)).toEqual(addresses);
  expect(asked).toEqual([]);
});

// hack/decisions/0028 O29
describe('a name with more than 32 addresses', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => `192.0.2.${at}`);

  test('is refused, both families counted', async () => {
    const { resolve } = scene((_name, family) => many(family === 4 ? 31 : 2));
    await expect(resolve('api.test.')).rejects.toThrow('the name api.test. has more than 32 addresses');
    expect(await scene((_name, family) => many(family === 4 ? 31 : 1)).resolve('api.test.')).toHaveLength(32);
  });

  test('is not asked for again for five minutes', async () => {
    const { resolve, clock, asked } = scene((name) => many(name === 'api.test.' ? 33 : 1));
    for (let again = 0; again < 3; again++) await expect(resolve('api.test.')).rejects.toThrow('more than 32');
    expect(asked).toHaveLength(2);
    expect(await resolve('other.test.')).toHaveLength(2);
    await clock.advance(300_000);
    await expect(resolve('api.test.')).rejects.toThrow('more than 32');
    expect(asked).toHaveLength(6);
  });
});
