import { gzipSync } from 'node:zlib';
import { LOCAL } from '../fixtures/local.ts';

// An API server as its worst enemy would write it: a program of its own, so that what it spends is not the test's. The first
// part of the path says which attack; `HOSTILE_TLS` holds certificate and key, and its first line of output is its port.

const MIB = 1 << 20;
const encoder = new TextEncoder();

/** A body that goes on for as long as somebody reads. */
const endless = (piece: () => Uint8Array, init: ResponseInit = {}): Response =>
  new Response(
    new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(piece());
      },
    }),
    init,
  );

const whitespace = new Uint8Array(MIB).fill(32);
const packed = new Uint8Array(gzipSync(new Uint8Array(64 * MIB).fill(32)));
const gigabytes = () => endless(() => whitespace);
const bomb = () => endless(() => packed, { headers: { 'content-encoding': 'gzip' } });

/** A byte now and then, for ever. */
const drip = (): Response =>
  new Response(
    new ReadableStream<Uint8Array>({
      async pull(controller) {
        await Bun.sleep(200);
        controller.enqueue(encoder.encode(' '));
      },
    }),
  );

let count = 0;

/** A Node that nobody has seen before, of that many bytes. */
function node(size: number): object {
  count += 1;
  const metadata = {
    name: `n${count}`,
    uid: `u${count}`,
    resourceVersion: `${count}`,
    labels: { l: 'x'.repeat(size) },
  };
  return { metadata, spec: { providerID: `virtual:///${count}` } };
}

const empty = () => Response.json({ kind: 'List', metadata: { resourceVersion: '1' }, items: [] });

/** A page that has another one after it, whichever it is. */
function page(items: object[]): Response {
  count += 1;
  return Response.json({ kind: 'List', metadata: { resourceVersion: '1', continue: `page-${count}` }, items });
}

const events = () =>
  endless(() => encoder.encode(`${JSON.stringify({ type: 'ADDED', object: node(30_000) })}\n`.repeat(8)));

/** Codes, reasons, warnings and words that are never the same. */
function talkative(): Response {
  count += 1;
  const words = `SERVER-SAYS ${'y'.repeat(30_000)} ${count}`;
  const body = { kind: 'Status', status: 'Failure', reason: words, message: words };
  return Response.json(body, { status: 400 + (count % 199), headers: { warning: `299 - "SERVER-WARNS ${count}"` } });
}

/** A page of one object whose name is longer than any (hack/decisions/0028 T73). */
const nameless = () =>
  Response.json({
    kind: 'List',
    metadata: { resourceVersion: '1' },
    items: [{ metadata: { name: 'n'.repeat(300_000) } }],
  });

/** An object whose label of the zone looks like a text, and throws when it is taken for one (hack/decisions/0028 T90). */
const mistyped = () =>
  Response.json({
    kind: 'List',
    metadata: { resourceVersion: '1' },
    items: [
      { metadata: { name: 'n', labels: { 'topology.kubernetes.io/zone': { length: 1, toString: 1, valueOf: 1 } } } },
    ],
  });

interface Attack {
  list?: () => Response | Promise<Response>;
  watch?: () => Response | Promise<Response>;
  /** Whatever is made there. */
  write?: (request: Request) => Response | Promise<Response>;
  /** Everything, the question which cluster it is included. */
  any?: () => Response | Promise<Response>;
}

const never = () => new Promise<Response>(() => {});

let hanging = 0;

/** Hangs until the other side has had enough. */
function hangs({ signal }: Request): Promise<Response> {
  hanging += 1;
  signal.addEventListener('abort', () => {
    hanging -= 1;
  });
  return never();
}

const attacks: Readonly<Record<string, Attack>> = {
  gigabytes: { any: gigabytes },
  bomb: { any: bomb },
  hang: { any: never },
  drip: { any: drip },
  redirect: { any: () => Response.redirect(process.env['HOSTILE_CANARY'] ?? '', 307) },
  talkative: { any: talkative },
  lists: { list: gigabytes },
  bombs: { list: bomb },
  pages: { list: () => page([]) },
  objects: { list: () => page(Array.from({ length: 500 }, () => node(10_000))) },
  names: { list: nameless },
  types: { list: mistyped },
  lines: { watch: gigabytes },
  drops: { watch: drip },
  versions: { watch: events },
  silence: { watch: never },
  tokens: { write: hangs },
  /** None: tells how many writes hang. */
  hanging: { list: () => Response.json(hanging) },
};

const notFound = () => Response.json({ kind: 'Status', status: 'Failure', reason: 'NotFound' }, { status: 404 });
const identity = () => Response.json({ metadata: { name: 'kube-system', uid: 'the-worst-of-all' } });

function answer(request: Request): Response | Promise<Response> {
  const url = new URL(request.url);
  const [, name = ''] = url.pathname.split('/');
  const { any, list = empty, watch = never, write } = attacks[name] ?? {};
  if (any) return any();
  if (write && request.method === 'POST') return write(request);
  if (url.pathname.endsWith('/namespaces/kube-system')) return identity();
  if (url.searchParams.get('watch') === 'true') return watch();
  return url.pathname.endsWith('/drover-probe') ? notFound() : list();
}

const [cert, key] = JSON.parse(process.env['HOSTILE_TLS'] ?? '[]') as [string, string];
const server = Bun.serve({
  ...LOCAL,
  tls: { cert, key },
  fetch: answer,
});
console.log(JSON.stringify({ port: server.port, attacks: Object.keys(attacks).filter((name) => name !== 'hanging') }));
