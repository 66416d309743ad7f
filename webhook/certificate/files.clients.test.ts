import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '../../controller/runtime/clock.fake.ts';
import { issueAuthority } from './authority.ts';
import { withClientAuthorities } from './files.ts';

// hack/decisions/0028 W6

const folder = mkdtempSync(join(tmpdir(), 'clients-'));
afterAll(() => rmSync(folder, { recursive: true }));

const now = new FakeClock().now();
const [own, first, second] = await Promise.all([issueAuthority(now), issueAuthority(now), issueAuthority(now)]);
const { signal } = new AbortController();
const file = join(folder, 'ca.crt');
const source = withClientAuthorities({ current: async () => ({ pair: own, missing: ['something'] }) }, file);

test('the authorities of clients are read anew each time, beside the certificate', async () => {
  await Bun.write(file, `# ours\n${first.cert}`);
  expect(await source.current(signal)).toEqual({
    pair: { ...own, clientAuthorities: first.cert },
    missing: ['something'],
  });
  await Bun.write(file, second.cert + first.cert);
  expect((await source.current(signal)).pair.clientAuthorities).toBe(second.cert + first.cert);
});

test.each([
  ['no certificate', 'hello'],
  ['a key', first.key],
  ['a broken certificate', first.cert.replace(/\n.{20}/, '\n')],
  ['nothing', ''],
])('a file with %s is an error that names it', async (_what, text) => {
  await Bun.write(file, text);
  await expect(source.current(signal)).rejects.toThrow(`${file} holds no certificates of authorities in PEM form`);
});
