import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noCredentials } from '../../controller/runtime/client/connection.ts';
import { FakeClock } from '../../controller/runtime/clock.fake.ts';
import { kubeconfigConnection } from '../../controller/runtime/kubeconfig/kubeconfig.ts';
import { type AccessParts, podAccess } from './access.ts';
import type { Deployment } from './deployment.ts';

const folder = mkdtempSync(join(tmpdir(), 'access-'));
afterAll(() => rmSync(folder, { recursive: true }));

const deployment = {
  metadata: { namespace: 'garden', name: 'mcm' },
  spec: {
    template: {
      spec: {
        serviceAccountName: 'mcm',
        containers: [
          {
            name: 'mcm',
            volumeMounts: [
              { name: 'target', mountPath: '/var/lib/target/' },
              { name: 'other', mountPath: '/x' },
            ],
          },
        ],
        volumes: [{ name: 'target', secret: { secretName: 'shoot' } }, { name: 'other' }],
      },
    },
  },
} as Deployment;

/** An API server that gives a token of ten minutes, and then another, while it is well. */
function servers() {
  const clock = new FakeClock();
  const asked: string[] = [];
  const said: string[] = [];
  const state = { well: true };
  const core: AccessParts['core'] = {
    async createNamespacedServiceAccountToken({ namespace, name, body }) {
      asked.push(`${body.spec?.expirationSeconds} s of ${namespace}/${name}`);
      if (!state.well) throw new Error('no answer');
      const expirationTimestamp = new Date(clock.now() + 600_000);
      return { ...body, status: { token: `token-${asked.length}`, expirationTimestamp } };
    },
    readNamespacedSecret: async ({ name }) => ({ metadata: { name }, data: { kubeconfig: btoa('apiVersion: v1') } }),
  };
  const connection = {
    server: 'https://127.0.0.1:6443',
    tls: { ca: '-----BEGIN CERTIFICATE-----' },
    credentials: noCredentials,
  };
  const complain = (sentence: string) => said.push(sentence);
  return { clock, asked, said, state, parts: { core, clock, connection, deployment, folder, complain } };
}

test('the kubeconfig has the token of the ServiceAccount, for this user only', async () => {
  const { parts, asked } = servers();
  const { own } = await podAccess(parts, AbortSignal.abort());
  const connection = await kubeconfigConnection(own());
  expect(connection.server).toBe('https://127.0.0.1:6443');
  expect(connection.tls).toEqual({ ca: '-----BEGIN CERTIFICATE-----' });
  expect(await connection.credentials.header()).toBe('Bearer token-1');
  expect(asked).toEqual(['3600 s of garden/mcm']);
  for (const name of ['kubeconfig', 'token']) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
});

test('the token is renewed after half of its life, soon again after a failure, and no more after the end', async () => {
  const { parts, clock, state, said, asked } = servers();
  const end = new AbortController();
  const { own } = await podAccess(parts, end.signal);
  const { credentials } = await kubeconfigConnection(own());
  await clock.advance(299_000);
  expect(await credentials.header()).toBe('Bearer token-1');
  await clock.advance(1_000);
  expect(await credentials.header()).toBe('Bearer token-2');
  state.well = false;
  await clock.advance(300_000);
  expect(said).toEqual(['the token of the ServiceAccount was not renewed: no answer']);
  state.well = true;
  await clock.advance(20_000);
  expect(await credentials.header()).toBe('Bearer token-4');
  end.abort();
  await clock.advance(3_600_000);
  expect(asked).toHaveLength(4);
});

test('a kubeconfig out of a Secret is copied', async () => {
  const { mounted } = await podAccess(servers().parts, AbortSignal.abort());
  expect(readFileSync(await mounted('/var/lib/target/kubeconfig'), 'utf8')).toBe('apiVersion: v1');
});

test.each([
  ['/var/lib/target/config', 'but Secret shoot has no key config'],
  ['/x/kubeconfig', 'which is no file of a Secret mounted as a whole'],
  ['/var/lib/kubeconfig', 'which is no file of a Secret mounted as a whole'],
])('%s is refused with what to do', async (path, says) => {
  const { mounted } = await podAccess(servers().parts, AbortSignal.abort());
  const error: Error = await mounted(path).then(
    () => new Error('it was taken'),
    (reason) => reason,
  );
  expect(error.message).toContain(says);
  expect(error.message).toContain('give it by --target-kubeconfig');
});

test('what the user gives is taken in place of what is mounted', async () => {
  const { mounted } = await podAccess({ ...servers().parts, instead: '/mine' }, AbortSignal.abort());
  expect(await mounted('/x/kubeconfig')).toBe('/mine');
});
