import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inClusterConnection } from './incluster.ts';

const folder = mkdtempSync(join(tmpdir(), 'incluster-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

test('a pod reads its ServiceAccount, and follows the files', async () => {
  write('token', 'first\n');
  write('ca.crt', 'one CA');
  write('namespace', 'farm');
  const connection = inClusterConnection({ env, folder });
  expect(connection).toMatchObject({ server: 'https://10.0.0.1:443', tls: { ca: 'one CA' }, namespace: 'farm' });
  expect(await connection.credentials.header()).toBe('Bearer first');
  write('token', 'the second\n');
  write('ca.crt', 'another CA');
  expect(await connection.credentials.header()).toBe('Bearer the second');
  expect(connection.tls).toEqual({ ca: 'another CA' });
});

test('an IPv6 address is put in brackets', () => {
  for (const name of ['token', 'ca.crt', 'namespace']) write(name, 'x');
  const host = { ...env, KUBERNETES_SERVICE_HOST: 'fd00::1' };
  expect(inClusterConnection({ env: host, folder }).server).toBe('https://[fd00::1]:443');
});

test.each([
  ['no environment', {}, folder, 'this is not a pod: KUBERNETES_SERVICE_HOST'],
  ['no files', env, '/nowhere', '/nowhere/token cannot be read'],
])('%s is an error that says what is missing', (_what, env, folder, says) => {
  expect(() => inClusterConnection({ env, folder })).toThrow(says);
});
