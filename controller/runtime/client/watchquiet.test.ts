import { afterEach, describe, expect, test } from 'bun:test';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeClock } from '../clock.fake.ts';
import { systemClock } from '../clock.ts';
import { Reach } from '../health/probe.ts';
import { type ConfigMap, configMaps } from '../k8s/core.ts';
import { FakeLog } from '../observability/log.fake.ts';
import { seededRandom } from '../random.ts';
import { turnUntil } from '../server.fake.ts';
import { Cache } from '../watch/cache.ts';
import { runCache } from '../watch/watch.ts';
import { Api } from './api.ts';
import { type Connection, noCredentials } from './connection.ts';

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
  server: { version: string; object: string };
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

/** The head comes at once, and nothing of what follows, until the client gives up. */
const holdBack = ({ response }: Watched): void => {
  response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
  response.flushHeaders();
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
  /** Version of the only object. */
  object = '2';
  /** Called before the version is looked at. */
  onLook = () => {};
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
      this.#end({ request, response, clock: this.clock, server: this, ended: () => void this.#ended++ });
      return;
    }
    const isLook = query.get('limit') === '1';
    this.asked[isLook ? 'looks' : 'lists'] += 1;
    if (isLook) this.onLook();
    const items = [{ metadata: { name: 'a', namespace: 'farm', uid: 'u', resourceVersion: this.object } }];
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
  const probing = { probe: async () => {}, unreachableAfterMs: 30_000, periodMs: 10_000, from: 0 };
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
  const shown = () => cache.get('farm/a')?.metadata.resourceVersion;
  return { server, asked: server.asked, reach, log, warnings, pass, shown };
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
      // Whoever was cut asks whether the store went back meanwhile (hack/decisions/0051 L115).
      expect(scene.asked.looks).toBeLessThanOrEqual(scene.asked.watches);
    },
  );

  test.each([20, 35, 50])(
    'after %i s the same holds while other resources change, and whole lists are rare',
    async (seconds) => {
      const scene = await follow(cutAfter(seconds * 1_000));
      const stood: unknown[] = [];
      scene.reach.onChange(() => stood.push(scene.reach.fact()));
      for (let minute = 0; minute < 15; minute++) {
        scene.server.version = String(100 + minute);
        await scene.pass(60);
      }
      expect(stood).toEqual([{ backSince: 0 }]);
      expect(scene.warnings()).toEqual([]);
      expect(scene.asked.lists).toBeLessThanOrEqual(3);
    },
  );

  test('a change that a list shows first is no reason to worry if the watch tells it, too', async () => {
    const from: number[] = [];
    const scene = await follow((watched) => {
      cutAfter(20_000)(watched);
      const since = Number(new URL(watched.request.url ?? '', 'http://x').searchParams.get('resourceVersion'));
      from.push(since);
      const { object: resourceVersion } = watched.server;
      if (since >= Number(resourceVersion)) return;
      const object = { metadata: { name: 'a', namespace: 'farm', uid: 'u', resourceVersion } };
      watched.response.write(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
    });
    const begun = scene.server.clock.monotonic();
    scene.server.onLook = () => {
      // Sooner it is asked only whether the store went back, and the watch itself tells the change.
      if (scene.server.clock.monotonic() - begun >= 90_000) [scene.server.version, scene.server.object] = ['9', '8'];
    };
    await scene.pass(300);
    expect([...new Set(from)]).toEqual([5, 9]);
    expect(from.indexOf(9)).toBe(from.lastIndexOf(5) + 1);
    expect([scene.asked.lists, scene.shown(), scene.warnings()]).toEqual([2, '8', []]);
    expect(scene.reach.fact()).toEqual({ backSince: 0 });
  });

  test('a history that went back is noticed all the same', async () => {
    const scene = await follow(cutAfter(20_000));
    await scene.pass(30);
    scene.server.version = '3';
    await scene.pass(100);
    // Once by the watch that noticed it, and once more with all others of the server.
    expect(scene.asked.lists).toBe(3);
  });
});

describe('hack/decisions/0028 R3: behind a proxy that passes on the heads of watches and holds back what follows', () => {
  test.each<[how: string, end: (watched: Watched) => void]>([
    ['and never cuts them', holdBack],
    ['and cuts them after 20 s', cutAfter(20_000)],
    ['and cuts them after 50 s', cutAfter(50_000)],
  ])('%s, a change is seen, the server is away, and somebody is warned', async (_, end) => {
    const scene = await follow(end);
    const away: boolean[] = [];
    scene.reach.onChange(() => away.push(scene.reach.fact().unreachableSince !== undefined));
    await scene.pass(10);
    [scene.server.version, scene.server.object] = ['9', '8'];
    await scene.pass(350);
    expect(scene.shown()).toBe('8');
    expect(scene.warnings().map(({ message }) => message)).toContain('watch does not tell what changes');
    expect(away).toContain(true);
    expect(scene.asked.lists).toBeLessThanOrEqual(4);
  });

  test('the watch is believed again as soon as it tells anything', async () => {
    let isMended = false;
    const scene = await follow((watched) => {
      cutAfter(20_000)(watched);
      const object = { metadata: { resourceVersion: watched.server.version } };
      if (isMended) watched.response.write(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`);
      isMended = false;
    });
    await scene.pass(10);
    [scene.server.version, scene.server.object] = ['9', '8'];
    await scene.pass(350);
    isMended = true;
    await scene.pass(200);
    expect(scene.log.lines.map(({ message }) => message)).toContain('watch tells again what changes');
    const before = scene.log.lines.length;
    await scene.pass(300);
    expect(scene.log.lines.slice(before).filter(({ message }) => message === 'API server is unreachable')).toEqual([]);
  });
});

test('a server whose watches never come about is away, though it answers all else', async () => {
  const scene = await follow(refused(502));
  const away: boolean[] = [];
  scene.reach.onChange(() => away.push(scene.reach.fact().unreachableSince !== undefined));
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
