import { quantile } from './figures.ts';

/** Requests to make, all alike. */
export interface Load {
  url: string;
  /** PEM certificate of the server's authority. */
  ca: string;
  body: string;
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
  const child = Bun.spawn([process.execPath, import.meta.path], {
    stdin: new Blob([JSON.stringify(order)]),
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const [text, code] = await Promise.all([child.stdout.text(), child.exited]);
  if (code !== 0) throw new Error(`the load on ${order.url} failed`);
  return JSON.parse(text);
}

async function make({ url, ca, body, connections, seconds, perSecond }: Load): Promise<LoadResult> {
  const latencies: number[] = [];
  const begin = performance.now();
  const end = begin + seconds * 1000;
  let asked = 0;
  /** When the next request is due. */
  const due = () => (perSecond === undefined ? performance.now() : begin + (asked++ * 1000) / perSecond);
  const work = async () => {
    for (let at = due(); at < end; at = due()) {
      if (at > performance.now()) await Bun.sleep(at - performance.now());
      const sent = performance.now();
      const answer = await fetch(url, { method: 'POST', body, tls: { ca } });
      const text = await answer.text();
      if (!answer.ok || !text.includes('"allowed":true')) throw new Error(`${url}: ${answer.status} ${text}`);
      latencies.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  return {
    requests: latencies.length,
    seconds: (performance.now() - begin) / 1000,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  };
}

if (import.meta.main) process.stdout.write(JSON.stringify(await make(await Bun.stdin.json())));
