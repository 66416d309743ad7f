/**
 * A process that wants to lead, for lease.test.ts: `bun candidate.ts '{"connection": …, "identity": "a", …}'`.
 * Prints `leads` when it holds the lease, and `ends` when it no longer does; SIGTERM makes it release.
 */
import { Api } from '../../../controller/runtime/client/api.ts';
import { type Connection, noCredentials } from '../../../controller/runtime/client/connection.ts';
import { systemClock } from '../../../controller/runtime/clock.ts';
import { type LeaseOptions, lead } from '../../../controller/runtime/leader/election.ts';
import { createLog } from '../../../controller/runtime/observability/log.ts';
import { systemRandom } from '../../../controller/runtime/random.ts';

/** What the test tells its candidates, in JSON. */
export interface CandidateArguments
  extends Pick<LeaseOptions, 'namespace' | 'name' | 'identity' | 'durationMs' | 'renewMs' | 'retryMs'> {
  connection: Pick<Connection, 'server' | 'tls'>;
}

async function run({ connection, ...election }: CandidateArguments): Promise<void> {
  const clock = systemClock;
  const api = new Api({ connection: { ...connection, credentials: noCredentials }, clock });
  const log = createLog({ clock, sink: process.stderr });
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  const { signal, release } = await lead({ ...election, api, clock, log, random: systemRandom, signal: stop.signal });
  console.log('leads');
  stop.signal.addEventListener('abort', () => void release());
  signal.addEventListener('abort', () => console.log('ends'));
}

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? '{}') as CandidateArguments);
