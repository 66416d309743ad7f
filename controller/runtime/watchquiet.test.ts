import { afterEach, describe, expect, test } from 'bun:test';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Api } from './api.ts';
import { Cache } from './cache.ts';
import { FakeClock } from './clock.fake.ts';
import { systemClock } from './clock.ts';
import { type Connection, noCredentials } from './connection.ts';
import { type ConfigMap, configMaps } from './core.ts';
import { FakeLog } from './log.fake.ts';
import { seededRandom } from './random.ts';
import { Reach } from './reach.ts';
import { turnUntil } from './server.fake.ts';
import { runCache } from './watch.ts';

/** A resource of which there is no news, and what stands before its API server. */

const ends: Array<() => void> = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A watch as a server sees it. */
interface Watched {
  request: http.IncomingMessage;
  response: http.ServerResponse;
  clock: FakeClock;
  /** To be called when it has been ended. */
  ended(): void;
}

/** The head comes at once; then nothing, until a balancer cuts the connection. */
const cutAfter =
  (ms: number) =>
  ({ request, response, clock, ended }: Watched): void => {
    response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
    response.flushHeaders();
    clock.after(ms, () => {
      request.socket.destroy();
      ended();
    });
  };

/** A gateway answers with this code and a page of its own. */
const refused =
  (code: number) =>
  ({ response, ended }: Watched): void => {
    response.writeHead(code).end('upstream request timeout');
    ended();
  };

/** A server whose watches end as it is told, and what it was asked for. */
class Server {
  readonly clock = new FakeClock();
  readonly asked = { lists: 0, looks: 0, watches: 0 };
  version = '5';
  /** Watches that have ended, and requests that have no answer yet. */
  #ended = 0;
  #open = 0;
  readonly #server: http.Server;
  readonly #end: (watched: Watched) => void;

  constructor(end: (watched: Watched) => void) {
    this.#end = end;
    this.#server = http.createServer((request, response) => this.#answer(request, response));
    ends.push(() => void this.#server.close());
    ends.push(() => this.#server.closeAllConnections());
  }

  async connect(): Promise<Connection> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const { port } = this.#server.address() as AddressInfo;
    const send: Connection['send'] = (url, init) => {
      this.#open += 1;
      return fetch(url, init).finally(() => void this.#open--);
    };
    return { server: `http://127.0.0.1:${port}`, credentials: noCredentials, send };
  }

  /** Nothing is on the wire of what a client has to notice, who has noticed so many ends. */
  isQuiet(noticed: number): boolean {
    return this.#open === 0 && noticed >= this.#ended;
  }

  #answer(request: http.IncomingMessage, response: http.ServerResponse): void {
    const query = new URL(request.url ?? '', 'http://x').searchParams;
    if (query.has('watch')) {
      this.asked.watches += 1;
      this.#end({ request, response, clock: this.clock, ended: () => void this.#ended++ });
      return;
    }
    this.asked[query.get('limit') === '1' ? 'looks' : 'lists'] += 1;
    const items = [{ metadata: { name: 'a', namespace: 'farm', uid: 'u', resourceVersion: '2' } }];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ metadata: { resourceVersion: this.version }, items }));
  }
}

/** A cache that follows such a server, and what is told of it. */
async function follow(end: (watched: Watched) => void) {
  const server = new Server(end);
  const { clock } = server;
  const api = new Api({ connection: await server.connect(), clock });
  const [log, cache, stop] = [new FakeLog(), new Cache<ConfigMap>(), new AbortController()];
  ends.unshift(() => stop.abort(new Error('enough')));
  const { signal } = stop;
  void runCache({ clock, log, random: seededRandom(1), api, resource: configMaps, cache, signal });
  const probing = { probe: async () => {}, awayMs: 30_000, periodMs: 10_000, from: 0 };
  const reach = new Reach({ clock, log, name: 'control', ...probing });
  reach.need(cache);
  void reach.run(signal);
  await turnUntil(() => cache.synced);
  const warnings = () => log.lines.filter(({ level }) => level === 'warn' || level === 'error');
  const noticed = () => log.lines.filter(({ message }) => message === 'watch interrupted').length;
  /** Lets time pass in pieces, and after each whatever is on the wire arrive. */
  const pass = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 1) {
      await clock.advance(1_000);
      await turnUntil(() => server.isQuiet(noticed()));
      await systemClock.sleep(0);
    }
  };
  return { server, asked: server.asked, reach, warnings, pass };
}

describe('hack/decisions/0028 R3: behind a balancer that cuts idle connections', () => {
  test.each([20, 35, 50])(
    'after %i s a healthy server is never away, its clocks run on, and nobody is warned',
    async (seconds) => {
      const scene = await follow(cutAfter(seconds * 1_000));
      const stood: unknown[] = [];
      scene.reach.onChange(() => stood.push(scene.reach.fact()));
      await scene.pass(600);
      expect(stood).toEqual([{ backSince: 0 }]);
      expect(scene.reach.fact()).toEqual({ backSince: 0 });
      expect(scene.warnings()).toEqual([]);
      expect(scene.asked.watches).toBeWithin(Math.floor(500 / seconds), Math.ceil(600 / seconds) + 2);
      expect(scene.asked.lists).toBe(1);
      expect(scene.asked.looks).toBeLessThanOrEqual(6);
    },
  );

  test('a history that went back is noticed all the same', async () => {
    const scene = await follow(cutAfter(20_000));
    await scene.pass(30);
    scene.server.version = '3';
    await scene.pass(100);
    expect(scene.asked.lists).toBe(2);
  });
});

test('a server whose watches never come about is away, though it answers all else', async () => {
  const scene = await follow(refused(502));
  const away: boolean[] = [];
  scene.reach.onChange(() => away.push(scene.reach.fact().awaySince !== undefined));
  await scene.pass(200);
  expect(away).toContain(true);
});

describe('hack/decisions/0028 R8: a server in trouble', () => {
  test.each([504, 400, 410, 502])(
    'is not asked for whole lists because a gateway answers watches with %i',
    async (code) => {
      const scene = await follow(refused(code));
      await scene.pass(300);
      // The server counts as away after 100 s without a watch, and its return is made sure of by a list.
      expect(scene.asked.lists).toBeLessThanOrEqual(3);
      // Pauses of up to 30 s with full jitter are 15 s long in the mean.
      expect(scene.asked.watches).toBeLessThan(40);
    },
  );
});
