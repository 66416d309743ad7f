import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock as clock } from '../clock.ts';
import { configMaps } from '../k8s/core.ts';
import { Api } from './api.ts';
import { ExecCredentials } from './exec.ts';

const folder = mkdtempSync(join(tmpdir(), 'exec-'));
afterAll(() => rmSync(folder, { recursive: true }));

const CALLS = 50;
const ref = { namespace: 'farm', name: 'dolly' };

/** A server that takes no more of the first token: half of the calls with it are refused only when the others are through. */
function revoking() {
  const first = Promise.withResolvers<string>();
  const rest = Promise.withResolvers<void>();
  let [revoked, refused, taken] = [false, 0, 0];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch({ headers }) {
      const token = headers.get('authorization') ?? '';
      first.resolve(token);
      if (!revoked || token !== (await first.promise)) {
        if (revoked && ++taken === CALLS / 2) rest.resolve();
        return Response.json({ metadata: { ...ref, resourceVersion: '1' } });
      }
      if (++refused > CALLS / 2) await rest.promise;
      return Response.json({ kind: 'Status', code: 401, reason: 'Unauthorized' }, { status: 401 });
    },
  });
  const revoke = () => {
    revoked = true;
  };
  return { server, revoke };
}

test('a token that fifty calls are refused for is exchanged once (hack/decisions/0028 R10)', async () => {
  const { server, revoke } = revoking();
  const runs = join(folder, 'runs');
  const apiVersion = 'client.authentication.k8s.io/v1';
  const printed = JSON.stringify({ apiVersion, kind: 'ExecCredential', status: { token: 'PID' } });
  const script = `echo run >>"$0"; printf '%s' '${printed}' | sed "s/PID/$$/"`;
  const config = { apiVersion, command: 'sh', args: ['-c', script, runs] };
  const credentials = new ExecCredentials({ config, cluster: () => ({}), clock });
  const api = new Api({ connection: { server: `http://127.0.0.1:${server.port}`, credentials }, clock });
  await api.get(configMaps, ref);
  revoke();
  await Promise.all(Array.from({ length: CALLS }, () => api.get(configMaps, ref)));
  expect(readFileSync(runs, 'utf8').trim().split('\n')).toHaveLength(2);
  await server.stop(true);
});
