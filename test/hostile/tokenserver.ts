import { LOCAL } from '../fixtures/local.ts';

// An API server with nothing in it, for tokenanswers.test.ts: it answers the creation of each Secret with almost four MiB, at a version that its
// watch never reaches. Its lists come, so that it counts as one that answers. It is started as badserver.ts is; `/made` tells how many it made.

const JUNK = JSON.stringify(Array.from({ length: 1_300_000 }, () => []));
let made = 0;

const empty = () => Response.json({ kind: 'List', metadata: { resourceVersion: '1' }, items: [] });
const notFound = () => Response.json({ kind: 'Status', status: 'Failure', reason: 'NotFound' }, { status: 404 });

async function answer(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname.endsWith('/made')) return Response.json(made);
  if (request.method === 'POST' && pathname.endsWith('/secrets')) {
    made += 1;
    const secret = (await request.json()) as { metadata: object };
    const metadata = { ...secret.metadata, uid: `u${made}`, resourceVersion: '99999999999999' };
    const text = JSON.stringify({ ...secret, metadata }).replace(/}$/, `,"junk":${JUNK}}`);
    return new Response(text, { status: 201, headers: { 'content-type': 'application/json' } });
  }
  if (request.method !== 'GET')
    return Response.json({ kind: 'Status', status: 'Failure', reason: 'Forbidden' }, { status: 403 });
  if (pathname.endsWith('/namespaces/kube-system'))
    return Response.json({ metadata: { name: 'kube-system', uid: 'of-tokens' } });
  if (searchParams.get('watch') === 'true') return new Promise<Response>(() => {});
  if (pathname.endsWith('/drover-probe')) return notFound();
  return empty();
}

const [cert, key] = JSON.parse(process.env['HOSTILE_TLS'] ?? '[]') as [string, string];
const server = Bun.serve({ ...LOCAL, tls: { cert, key }, fetch: answer });
console.log(JSON.stringify({ port: server.port, attacks: [] }));
