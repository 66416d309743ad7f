import type { Connection } from '../../controller/runtime/api.ts';
import { noCredentials } from '../../controller/runtime/connection.ts';
import sample from './testdata/machine.json';

/** What a feed serves. */
export interface FeedOptions {
  /** How many Machines its list has. */
  machines: number;
  /** How many of them it tells to have changed, one after another, as soon as somebody watches. */
  events: number;
}

/** A process that serves Machines as an API server does, so that whoever reads them is measured alone. */
export interface Feed extends Disposable {
  connection: Connection;
}

/** Starts a feed; it ends when it is disposed of. */
export async function startFeed({ machines, events }: FeedOptions): Promise<Feed> {
  const child = Bun.spawn([process.execPath, import.meta.path, String(machines), String(events)], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  for await (const port of child.stdout.pipeThrough(new TextDecoderStream())) {
    const connection = { server: `http://127.0.0.1:${port.trim()}`, credentials: noCredentials };
    return { connection, [Symbol.dispose]: () => child.kill() };
  }
  throw new Error(`the feed ended with code ${await child.exited} before it listened`);
}

/** Lines that are written to a watch at a time. */
const LINES_A_CHUNK = 64;

/** A Machine as it comes over the wire, with its managed fields: 3.9 KB. */
function machine(index: number, version: number): string {
  const name = `herd-756f4-${index}`;
  const metadata = { ...sample.metadata, name, uid: `uid-${index}`, resourceVersion: String(version) };
  return JSON.stringify({ ...sample, metadata });
}

/** A page of the list; a page begins where `continue` says. */
function page(count: number, query: URLSearchParams): Response {
  const from = Number(query.get('continue'));
  const to = Math.min(count, from + Number(query.get('limit')));
  const items = Array.from({ length: to - from }, (_, at) => machine(from + at, 1));
  const next = to < count ? String(to) : '';
  const text = `{"metadata":{"resourceVersion":"1","continue":"${next}"},"items":[${items}]}`;
  return new Response(text, { headers: { 'content-type': 'application/json' } });
}

/** All events, and then silence. */
function changes({ machines, events }: FeedOptions): ReadableStream<string> {
  let told = 0;
  return new ReadableStream({
    async pull(controller) {
      if (told >= events) await new Promise(() => {});
      const count = Math.min(LINES_A_CHUNK, events - told);
      const lines = Array.from({ length: count }, (_, at) => {
        const index = (told + at) % machines;
        return `{"type":"MODIFIED","object":${machine(index, told + at + 2)}}\n`;
      });
      told += count;
      controller.enqueue(lines.join(''));
    },
  });
}

if (import.meta.main) {
  const [machines = 0, events = 0] = process.argv.slice(2).map(Number);
  const { port } = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch({ url }) {
      const query = new URL(url).searchParams;
      return query.has('watch') ? new Response(changes({ machines, events })) : page(machines, query);
    },
  });
  process.stdout.write(`${port}\n`);
}
