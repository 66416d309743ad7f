import { type Asked, openConnection } from './connection.ts';
import { quantile } from './figures.ts';
import { CORES, pinned } from './pinned.ts';

/** Requests to make, all alike. */
export interface Load extends Asked {
  /** How many requests are under way at the same time, each on a connection that is kept. */
  connections: number;
  seconds: number;
  /** How many requests are made a second, evenly; as many as possible when absent. */
  perSecond?: number;
}

/** What came of it. */
export interface LoadResult {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
}

/** Makes the requests from a process of its own. Throws when an answer is no success. */
export async function load(order: Load): Promise<LoadResult> {
  const child = Bun.spawn(pinned(CORES.asking, [process.execPath, import.meta.path]), {
    stdin: new Blob([JSON.stringify(order)]),
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const [text, code] = await Promise.all([child.stdout.text(), child.exited]);
  if (code !== 0) throw new Error(`the load on ${order.url} failed`);
  return JSON.parse(text);
}

async function make({ connections, seconds, perSecond, ...asked }: Load): Promise<LoadResult> {
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(asked)));
  const latencies: number[] = [];
  const begin = performance.now();
  const end = begin + seconds * 1000;
  let begun = 0;
  /** When the next request is due. */
  const due = () => (perSecond === undefined ? performance.now() : begin + (begun++ * 1000) / perSecond);
  const work = async ({ ask }: (typeof open)[number]) => {
    for (let at = due(); at < end; at = due()) {
      if (at > performance.now()) await Bun.sleep(at - performance.now());
      const sent = performance.now();
      const answer = await ask();
      if (!answer.includes('"allowed":true')) throw new Error(`${asked.url}: ${answer}`);
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(open.map(work));
  const took = performance.now() - begin;
  for (const connection of open) connection.close();
  return {
    requests: latencies.length,
    seconds: took / 1000,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
}

if (import.meta.main) {
  process.stdout.write(JSON.stringify(await make(await Bun.stdin.json())));
  process.exit(0);
}
