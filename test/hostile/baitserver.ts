import { LOCAL } from '../fixtures/local.ts';

// An API server of Nodes that its owner made up, for forgednote.test.ts; it is started as badserver.ts is. The first part of the path is the
// namespace of whose class `small` their notes say that their VM was an orphan, the second one the end of its id. `/deleted` tells which went.

const deleted = new Set<string>();

const notFound = () => Response.json({ kind: 'Status', status: 'Failure', reason: 'NotFound' }, { status: 404 });

function baits(namespace: string, id: string): Array<{ metadata: { name: string } }> {
  const owner = { name: 'm', namespace, uid: 'made-up' };
  const recorded = { 'machine.sapcloud.io/machine': 'm', 'machine.sapcloud.io/cluster-namespace': namespace };
  const notes = { json: JSON.stringify({ class: `${namespace}/small`, machineName: 'm', owner }), bait: 'small' };
  return Object.entries(notes).map(([name, note]) => ({
    metadata: {
      name,
      uid: `u-${name}`,
      resourceVersion: '1',
      annotations: { ...recorded, 'drover.dev/orphan-deletion': note },
    },
    spec: { providerID: `virtual:///${id}` },
  }));
}

async function answer({ url, method }: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(url);
  const [, namespace = '', id = ''] = pathname.split('/');
  if (pathname === '/deleted') return Response.json([...deleted]);
  if (pathname.endsWith('/namespaces/kube-system'))
    return Response.json({ metadata: { name: 'kube-system', uid: 'of-bait' } });
  if (searchParams.get('watch') === 'true') return new Promise<Response>(() => {});
  const found = baits(namespace, id);
  const one = found.find(({ metadata }) => pathname.endsWith(`/nodes/${metadata.name}`));
  if (one && method === 'DELETE') deleted.add(one.metadata.name);
  if (one) return Response.json(one);
  if (pathname.endsWith('/drover-probe')) return notFound();
  const items = pathname.endsWith('/nodes') ? found : [];
  return Response.json({ kind: 'List', metadata: { resourceVersion: '1' }, items });
}

const [cert, key] = JSON.parse(process.env['HOSTILE_TLS'] ?? '[]') as [string, string];
const server = Bun.serve({ ...LOCAL, tls: { cert, key }, fetch: answer });
console.log(JSON.stringify({ port: server.port, attacks: [] }));
