import { expect, test } from 'bun:test';
import { FakeClock } from '../clock.fake.ts';
import { trustIn } from './embedded.ts';
import { JudgedNames, TooManyAddresses } from './judgednames.ts';

// hack/decisions/0028 O23

const CUT = Object.assign(new Error('cut'), { code: 'DNS_ETIMEOUT' });
const NONE = Object.assign(new Error('none'), { code: 'DNS_ENOTFOUND' });

/** What DNS says next: addresses, an error, or nothing. */
type Answer = readonly string[] | Error | undefined;

/** A name that was resolved once, a while ago, and what DNS says since. */
async function scene(answer: Answer, { agoMs = 10_000 } = {}) {
  const clock = new FakeClock();
  const dns: { says: Answer; asked: number } = { says: ['192.0.2.7'], asked: 0 };
  const resolve = async () => {
    dns.asked += 1;
    if (dns.says instanceof Error) throw dns.says;
    return dns.says ?? new Promise<never>(() => {});
  };
  const names = new JudgedNames({ clock, resolve, trust: trustIn([]) });
  const call = (signal?: AbortSignal) => names.addressOf('api.example', signal);
  expect(await call()).toBe('192.0.2.7');
  dns.says = answer;
  await clock.advance(agoMs);
  return { clock, dns, names, call };
}

test('where nobody says which addresses a name has, the last ones are called, and it is asked for now and then', async () => {
  const { call, dns, clock } = await scene(CUT);
  expect(await call()).toBe('192.0.2.7');
  expect(await call()).toBe('192.0.2.7');
  expect(dns.asked).toBe(2);
  await clock.advance(10_000);
  expect(await call()).toBe('192.0.2.7');
  expect(dns.asked).toBe(3);
  dns.says = ['192.0.2.8'];
  await clock.advance(10_000);
  expect(await call()).toBe('192.0.2.8');
});

test('nobody who has the last ones waits long for a silent server', async () => {
  const { call, clock, dns } = await scene(undefined);
  const found = call();
  await clock.advance(2_000);
  expect(await found).toBe('192.0.2.7');
  expect(await call()).toBe('192.0.2.7');
  expect(dns.asked).toBe(2);
});

test('that ends ten minutes after they were judged', async () => {
  const { call } = await scene(CUT, { agoMs: 599_999 });
  expect(await call()).toBe('192.0.2.7');
  const { call: late } = await scene(CUT, { agoMs: 600_000 });
  await expect(late()).rejects.toThrow('cut');
});

test.each([
  ['that it has none', NONE, 'none'],
  ['an address that is refused', ['127.0.0.1'], 'loopback'],
  ['more than are judged', new TooManyAddresses('api.example', 32), 'more than 32 addresses'],
])('it ends when DNS says %s', async (_what, answer, complaint) => {
  const { call, dns } = await scene(answer);
  await expect(call()).rejects.toThrow(complaint);
  dns.says = CUT;
  await expect(call()).rejects.toThrow('cut');
});

test('an address that is refused counts as well when it comes late', async () => {
  const clock = new FakeClock();
  const answers = [Promise.resolve(['192.0.2.7']), clock.sleep(5_000).then(() => ['127.0.0.1'])];
  let asked = 0;
  const resolve = () => answers[asked++] ?? Promise.reject(CUT);
  const names = new JudgedNames({ clock, resolve, trust: trustIn([]) });
  await names.addressOf('api.example', undefined);
  await clock.advance(4_000);
  await clock.advance(6_000);
  await expect(names.addressOf('api.example', undefined)).rejects.toThrow('loopback');
  await expect(names.addressOf('api.example', undefined)).rejects.toThrow('cut');
});

test('a caller that gives up leaves the answer to the others', async () => {
  const { call, clock } = await scene(undefined);
  await expect(call(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  const found = call();
  await clock.advance(2_000);
  expect(await found).toBe('192.0.2.7');
});
