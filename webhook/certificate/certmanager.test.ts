import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '../../controller/runtime/clock.fake.ts';
import { issueAuthority, issueLeaf } from './authority.ts';
import { certManagerSource, withAuthority } from './certmanager.ts';
import { Store } from './store.fake.ts';

const DAY = 24 * 3600 * 1000;
const folder = mkdtempSync(join(tmpdir(), 'certmanager-'));
afterAll(() => rmSync(folder, { recursive: true }));

const start = new FakeClock().now();
const { signal } = new AbortController();

/** A certificate as cert-manager issues it. */
async function issued(now = start) {
  const authority = await issueAuthority(now);
  return { authority, pair: await issueLeaf(authority, ['localhost'], now) };
}
type Issued = Awaited<ReturnType<typeof issued>>;

const [first, second, third] = await Promise.all([issued(), issued(), issued()]);

let made = 0;

/** A replica with a mounted Secret of its own. */
function replica(store: Store, clock = new FakeClock()) {
  const mounted = join(folder, String(++made));
  const source = certManagerSource({ api: store.api, clock, folder: mounted, configurations: ['drover'] });
  const mount = ({ authority, pair }: Issued) =>
    Promise.all([
      Bun.write(join(mounted, 'ca.crt'), authority.cert),
      Bun.write(join(mounted, 'tls.crt'), pair.cert),
      Bun.write(join(mounted, 'tls.key'), pair.key),
    ]);
  return { mounted, source, mount };
}

function registered(bundle = ''): Store {
  const store = new Store();
  store.register(bundle);
  return store;
}

test('the files are served, and their authority goes into every caBundle', async () => {
  const store = registered();
  const { source, mount } = replica(store);
  await mount(first);
  expect(await source.current(signal)).toEqual({ pair: first.pair, authority: first.authority.cert, missing: [] });
  expect(store.bundles()).toEqual(Array(4).fill(first.authority.cert));
});

test('a renewed certificate of the same authority is served at the next look', async () => {
  const { source, mount } = replica(registered());
  await mount(first);
  await source.current(signal);
  const pair = await issueLeaf(first.authority, ['localhost'], start);
  await mount({ ...first, pair });
  expect((await source.current(signal)).pair).toEqual(pair);
});

describe('when the authority changes', () => {
  test('its certificate is served one look after API servers were told', async () => {
    const store = registered();
    const { source, mount } = replica(store);
    await mount(first);
    await source.current(signal);
    await mount(second);
    expect((await source.current(signal)).pair).toEqual(first.pair);
    expect(store.bundles()[0]).toBe(second.authority.cert + first.authority.cert);
    expect(await source.current(signal)).toMatchObject({ pair: second.pair, authority: second.authority.cert });
  });

  test('its certificate is served at once when the one in use has expired', async () => {
    const clock = new FakeClock();
    const { source, mount } = replica(registered(), clock);
    await mount(first);
    await source.current(signal);
    await clock.advance(31 * DAY);
    const late = await issued(clock.now());
    await mount(late);
    expect((await source.current(signal)).pair).toEqual(late.pair);
  });

  test('replicas that see the files at different times do not undo what the others did', async () => {
    const store = registered();
    const replicas = [replica(store), replica(store)];
    for (const { mount, source } of replicas) await mount(first).then(() => source.current(signal));
    await replicas[0]?.mount(second);
    for (let round = 0; round < 3; round++) for (const { source } of replicas) await source.current(signal);
    expect(store.bundles()).toEqual(Array(4).fill(second.authority.cert + first.authority.cert));
    expect(store.writes).toBe(4);
  });
});

describe('a bundle that names an authority', () => {
  const [a, b, c] = [first, second, third].map(({ authority }) => authority.cert) as [string, string, string];

  test.each([
    ['is taken as it is when it does', a + b, b, 0, a + b],
    ['keeps those that are valid, after the new one', a + b, c, 0, c + a + b],
    ['loses what has expired', a, c, 366, c],
    ['loses what is no certificate', `hello${a}`, c, 0, c + a],
    ['takes all certificates of a chain', a, b + c, 0, b + c + a],
  ])('%s', (_what, bundle, authority, days, expected) => {
    expect(withAuthority(bundle, authority, start + days * DAY)).toBe(expected);
  });
});

test('an issuer without an authority is an error that says what to do', async () => {
  const { source, mount, mounted } = replica(registered());
  await mount({ ...first, authority: { cert: '', key: '' } });
  await expect(source.current(signal)).rejects.toThrow(/ca\.crt holds no certificate .* --tls-mode=provided/);
  rmSync(join(mounted, 'ca.crt'));
  await expect(source.current(signal)).rejects.toThrow(/cannot read .*ca\.crt/);
});
