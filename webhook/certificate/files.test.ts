import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '../../controller/runtime/clock.fake.ts';
import { issueAuthority } from './authority.ts';
import { providedSource } from './files.ts';

const folder = mkdtempSync(join(tmpdir(), 'provided-'));
afterAll(() => rmSync(folder, { recursive: true }));

const now = new FakeClock().now();
const [first, second] = await Promise.all([issueAuthority(now), issueAuthority(now)]);
const { signal } = new AbortController();

let made = 0;

/** A source of two files with these texts; an undefined one is not written. */
async function sourceOf(cert?: string, key?: string) {
  const [certFile, keyFile] = [join(folder, `${++made}.crt`), join(folder, `${made}.key`)];
  if (cert !== undefined) await Bun.write(certFile, cert);
  if (key !== undefined) await Bun.write(keyFile, key);
  return { source: providedSource({ certFile, keyFile }), certFile, keyFile };
}

test('the files are read anew each time', async () => {
  const { source, certFile, keyFile } = await sourceOf(first.cert, first.key);
  expect(await source.current(signal)).toEqual({ pair: first });
  await Promise.all([Bun.write(certFile, second.cert), Bun.write(keyFile, second.key)]);
  expect(await source.current(signal)).toEqual({ pair: second });
});

test.each([
  ['no certificate', undefined, first.key, /cannot read .*\.crt/],
  ['no key', first.cert, undefined, /cannot read .*\.key/],
  ['no PEM', 'hello', first.key, /\.crt holds no certificate in PEM form/],
  ['the key of another', first.cert, second.key, /\.key does not hold the private key of .*\.crt/],
])('%s is an error that names the file', async (_what, cert, key, says) => {
  const { source } = await sourceOf(cert, key);
  await expect(source.current(signal)).rejects.toThrow(says);
});
