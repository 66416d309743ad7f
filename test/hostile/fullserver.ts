import { weightOf } from '../../controller/runtime/memory/weight.ts';
import { LOCAL } from '../fixtures/local.ts';

// An API server that has as much of each kind as may just be kept of one Cluster, in shapes that take more memory than their text: wide
// characters, names of fields that no two objects share, lists of nothing. At `slow-…` a page of almost 8 MiB lacks its last byte, for
// ever. It is started as badserver.ts is.

/** What its five kinds weigh together stays under `--cluster-cache-mib`. */
const MOST_BYTES = 25 << 20;
/** A page is as long as a list of such objects may be. */
const PAGES: Readonly<Record<string, number>> = { volumeattachments: 2_000 };
const PAGE = 8;

const wide = (at: number): string => `${at}${'ж'.repeat(200_000)}`;
/** As long as a name may be (hack/decisions/0028 T73). */
const named = (at: number, n = 0): string => `${at}-${n}-${'ж'.repeat(220)}`;
const volumes = (at: number) =>
  Array.from({ length: 800 }, (_, n) => ({ persistentVolumeClaim: { claimName: named(at, n) } }));
const names = (at: number) => Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [`${at}-${n}`, `${at}`]));
const nothing = () => Array.from({ length: 20_000 }, () => []);

const metadataOf = (at: number) => ({ name: `o${at}`, namespace: 'kube-system', uid: `u${at}`, resourceVersion: '7' });

const KINDS: Readonly<Record<string, (at: number) => object>> = {
  nodes: (at) => ({ metadata: { ...metadataOf(at), annotations: names(at) }, spec: {} }),
  pods: (at) => ({
    metadata: metadataOf(at),
    spec: { nodeName: 'n', volumes: volumes(at) },
  }),
  volumeattachments: (at) => ({
    metadata: metadataOf(at),
    spec: { nodeName: 'n', source: { persistentVolumeName: named(at) } },
  }),
  secrets: (at) => ({ metadata: metadataOf(at), data: { nothing: nothing() } }),
  leases: (at) => ({ metadata: metadataOf(at), spec: { renewTime: wide(at) } }),
};

/** A page of as many as there may be of a kind. */
function page(kind: string, make: (at: number) => object, from: number): Response {
  const most = Math.floor(MOST_BYTES / weightOf(make(0)));
  const length = PAGES[kind] ?? PAGE;
  const items = Array.from({ length: Math.min(length, most - from) }, (_, at) => make(from + at));
  const next = from + length < most ? { continue: String(from + length) } : {};
  return Response.json({ kind: 'List', metadata: { resourceVersion: '7', ...next }, items });
}

const begun = new TextEncoder().encode(
  `{"kind":"List","metadata":{"resourceVersion":"7"},"items":[{"l":"${'x'.repeat(7_900_000)}"`,
);

/** Sends all but the end. */
const slow = (): Response => new Response(new ReadableStream({ start: (told) => told.enqueue(begun) }));

function answer(request: Request): Response | Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const [, name = ''] = pathname.split('/');
  if (pathname.endsWith('/namespaces/kube-system'))
    return Response.json({ metadata: { name: 'kube-system', uid: name } });
  if (searchParams.get('watch') === 'true') return new Promise<Response>(() => {});
  if (pathname.endsWith('/drover-probe'))
    return Response.json({ kind: 'Status', status: 'Failure', reason: 'NotFound' }, { status: 404 });
  if (name.startsWith('slow-')) return slow();
  const kind = pathname.split('/').at(-1) ?? '';
  const make = KINDS[kind];
  return make
    ? page(kind, make, Number(searchParams.get('continue') ?? 0))
    : Response.json({ kind: 'List', metadata: { resourceVersion: '1' }, items: [] });
}

const [cert, key] = JSON.parse(process.env['HOSTILE_TLS'] ?? '[]') as [string, string];
const server = Bun.serve({ ...LOCAL, tls: { cert, key }, fetch: answer });
console.log(JSON.stringify({ port: server.port, attacks: [] }));
