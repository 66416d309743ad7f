import { type Figures, quantile } from './figures.ts';
import { type LoadResult, load } from './load.ts';
import { canPin } from './pinned.ts';
import { type Server, type ServerName, withServers } from './servers.ts';
import { type Subject, subjects } from './subjects.ts';
import { cpuUsed, memoryMiB } from './usage.ts';

/** As many connections as an API server under load keeps to a webhook. */
const CONNECTIONS = 16;
/** Long enough for every hot function to have been compiled. */
const WARM_UP_SECONDS = 2;
/** Servers take turns, so that what else the machine does falls on all of them. */
const ROUNDS = 3;
const SECONDS = { full: 1.5, paced: 2 };
/** What a busy cluster asks. */
const PACE = 500;

/** Asks our webhook, a peer in Go and a bare server the same, over TLS with kept connections: at full load and at a pace. */
export async function webhookBench(): Promise<Figures> {
  if (!canPin) process.stderr.write(' without cores of their own, as there is no taskset or no second core ...');
  return withServers(async (servers) => {
    const found: Record<string, Figures> = {};
    for (const [name, subject] of Object.entries(subjects)) found[name] = await compared(servers, subject);
    const memory = servers.map(({ name, pid }) => [name, { now: memoryMiB(pid).now, peak: memoryMiB(pid).peak }]);
    return { ...found, rss_mib: Object.fromEntries(memory) };
  });
}

/** What one server did in all rounds. */
interface Asking {
  requests: number;
  seconds: number;
  cpuSeconds: number;
  paced: LoadResult[];
}

type ByServer = Partial<Record<ServerName, Asking>>;

async function compared(servers: readonly Server[], subject: Subject): Promise<Figures> {
  for (const server of servers) await asking(server, subject, { seconds: WARM_UP_SECONDS });
  const sums: ByServer = {};
  for (let round = 0; round < ROUNDS; round++) {
    for (const server of servers) sums[server.name] = added(sums[server.name], await turn(server, subject));
  }
  const figures = Object.entries(sums).map(([name, sum]) => [name, figuresOf(sum)]);
  return { body_bytes: subject.body.length, ...Object.fromEntries(figures), ...ratios(sums) };
}

async function turn(server: Server, subject: Subject): Promise<Asking> {
  const before = cpuUsed(server.pid);
  const full = await asking(server, subject, { seconds: SECONDS.full });
  const cpuSeconds = cpuUsed(server.pid) - before;
  const paced = await asking(server, subject, { seconds: SECONDS.paced, perSecond: PACE });
  return { requests: full.requests, seconds: full.seconds, cpuSeconds, paced: [paced] };
}

const asking = ({ ca, url }: Server, { endpoint, kind, body }: Subject, how: { seconds: number; perSecond?: number }) =>
  load({ ca, url: url(endpoint, kind), body, connections: CONNECTIONS, ...how });

const added = (sum: Asking | undefined, more: Asking): Asking => ({
  requests: (sum?.requests ?? 0) + more.requests,
  seconds: (sum?.seconds ?? 0) + more.seconds,
  cpuSeconds: (sum?.cpuSeconds ?? 0) + more.cpuSeconds,
  paced: [...(sum?.paced ?? []), ...more.paced],
});

const median = (values: readonly number[]) => quantile(values, 0.5);

const figuresOf = ({ requests, seconds, cpuSeconds, paced }: Asking): Figures => ({
  requests_per_second: requests / seconds,
  cpu_microseconds_per_request: (cpuSeconds * 1e6) / requests,
  at_500_per_second: {
    p50_ms: median(paced.map(({ p50Ms }) => p50Ms)),
    p99_ms: median(paced.map(({ p99Ms }) => p99Ms)),
  },
});

/** How many times as much ours does as the others, by the clock and by its CPU time, which holds on a busy machine, too. */
function ratios({ drover, ...others }: ByServer): Figures {
  if (!drover) return {};
  const to = ([name, other]: [string, Asking]) => [
    `drover_to_${name}`,
    {
      requests_per_second: drover.requests / drover.seconds / (other.requests / other.seconds),
      requests_per_cpu_second: drover.requests / drover.cpuSeconds / (other.requests / other.cpuSeconds),
    },
  ];
  return Object.fromEntries(Object.entries(others).map(to));
}
