import { expect, test } from 'bun:test';
import { dirname, resolve } from 'node:path';
import { FakeClock } from '../clock.fake.ts';
import { FakeServer, json, status } from '../server.fake.ts';
import { tokenCredentials } from './connection.ts';
import { errorOf } from './errors.fixture.ts';
import { typedApi } from './typed.ts';

// hack/decisions/0034

const coreOf = ({ connection }: FakeServer) =>
  typedApi(({ CoreV1Api }) => CoreV1Api, {
    connection: { ...connection, server: `${connection.server}/k8s`, credentials: tokenCredentials('t') },
    clock: new FakeClock(),
  });

test("client-node's typed calls go over our transport, with its credentials", async () => {
  using server = new FakeServer(
    json({ kind: 'TokenRequest', status: { token: 'x', expirationTimestamp: '2026-01-01T00:00:00Z' } }),
  );
  const core = await coreOf(server);
  const body = { spec: { audiences: [], expirationSeconds: 600 } };
  const { status } = await core.createNamespacedServiceAccountToken({ namespace: 'farm', name: 'dog', body });
  expect(status?.expirationTimestamp).toEqual(new Date('2026-01-01T00:00:00Z'));
  expect(server.requests).toEqual(['POST /k8s/api/v1/namespaces/farm/serviceaccounts/dog/token']);
  const [{ headers, body: sent } = expect.unreachable()] = server.received;
  expect(headers.get('authorization')).toBe('Bearer t');
  expect(headers.get('content-type')).toBe('application/json');
  expect(JSON.parse(sent)).toMatchObject(body);
});

test('what is refused is our error, and what is too long is given up', async () => {
  using server = new FakeServer(status(404, 'NotFound'), () => new Response('x'.repeat(33 << 20)));
  const core = await coreOf(server);
  const call = () => core.readNamespacedSecret({ namespace: 'farm', name: 'dolly' });
  expect(await errorOf(call())).toMatchObject({ status: 404, reason: 'NotFound' });
  expect(await errorOf(call())).toMatchObject({ status: 0, code: 'ERR_ANSWER_TOO_LARGE' });
});

/** What the file imports, and all that they import, be it at the start or when it is needed. */
async function importedBy(path: string, seen = new Map<string, string>(), by = ''): Promise<Map<string, string>> {
  if (seen.has(path)) return seen;
  seen.set(path, by);
  const imports = new Bun.Transpiler({ loader: 'ts' }).scanImports(await Bun.file(path).text());
  for (const { path: to } of imports) {
    if (!to.startsWith('.')) seen.set(to, path);
    else if (to.endsWith('.ts')) await importedBy(resolve(dirname(path), to), seen, path);
  }
  return seen;
}

test.each(['controller/main.ts', 'webhook/main.ts', 'hack/imagebuild/drover.ts'])(
  '%s neither starts with client-node nor loads it later',
  async (path) => {
    const modules = await importedBy(resolve(path));
    expect(modules.size).toBeGreaterThan(50);
    expect([...modules.keys()].filter((name) => /client-node|typed\.ts$/.test(name))).toEqual([]);
  },
);
