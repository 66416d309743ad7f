import { Api } from '../client/api.ts';
import { noCredentials } from '../client/connection.ts';
import { systemClock as clock } from '../clock.ts';
import { configMaps, leases } from '../k8s/core.ts';
import { createLog } from '../observability/log.ts';
import { endingOf, enter } from './program.ts';

/** A program that makes calls which nobody answers, so many, and reads a Lease beside them; then it waits for its end. */
enter(async ({ args: [server = '', hanging = '0'] }) => {
  const ending = endingOf(process, { log: createLog({ clock, level: 'error' }), clock });
  const parts = { connection: { server, credentials: noCredentials }, clock };
  const bulk = new Api(parts);
  for (let n = 0; n < Number(hanging); n++)
    void bulk
      .create(configMaps, { metadata: { namespace: 'n', name: `x${n}` } }, { timeoutMs: 60_000 })
      .catch(() => {});
  const read = await new Api(parts).get(leases, { namespace: 'n', name: 'l' }, { timeoutMs: 5_000 }).then(
    () => 'read',
    () => 'not read',
  );
  console.log(JSON.stringify({ pid: process.pid, read }));
  await new Promise((resolve) => ending.signal.addEventListener('abort', resolve));
  return ending.codeOf(7);
});
