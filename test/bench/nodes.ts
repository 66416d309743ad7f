import { heapSize } from 'bun:jsc';
import { Api } from '../../controller/runtime/client/api.ts';
import { noCredentials } from '../../controller/runtime/client/connection.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { type Node, nodes } from '../../controller/runtime/k8s/core.ts';
import { createLog } from '../../controller/runtime/observability/log.ts';
import { systemRandom as random } from '../../controller/runtime/random.ts';
import { Cache } from '../../controller/runtime/watch/cache.ts';
import { runCache } from '../../controller/runtime/watch/watch.ts';
import { makeTargetCaches } from '../../controller/targets/caches.ts';
import { until } from '../../hack/lib/until.ts';
import type { Figures } from './figures.ts';
import { servePages } from './pages.ts';

const NODES = 5_000;
const IMAGES = 50;
const MIB = 1024 ** 2;

/** Lists 5,000 Nodes with 50 images each into the controller's cache, and into one that keeps them whole. */
export async function nodesBench(): Promise<Figures> {
  const log = createLog({ clock, level: 'error', sink: process.stderr });
  const server = await serve();
  try {
    const slim = await filled(makeTargetCaches(log).nodes, server);
    const whole = await filled(new Cache<Node>({ log }), server);
    const bytes = node(1).length;
    return {
      objects: NODES,
      json_bytes_per_object: bytes,
      slim,
      whole,
      whole_to_slim: (whole['heap_mib'] ?? 0) / (slim['heap_mib'] ?? 1),
    };
  } finally {
    server.child.kill();
  }
}

interface Server {
  child: Bun.Subprocess;
  url: string;
}

/** What a cache takes that is filled, and listed anew. */
async function filled(cache: Cache<Node>, { url }: Server): Promise<Record<string, number>> {
  const over = new AbortController();
  const before = heap();
  let peak = 0;
  const looking = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 10);
  const start = performance.now();
  const api = new Api({ connection: { server: url, credentials: noCredentials }, clock });
  const log = createLog({ clock, level: 'error', sink: process.stderr });
  void runCache({ api, resource: nodes, cache, clock, random, log, signal: over.signal });
  await cache.whenSynced();
  const seconds = (performance.now() - start) / 1000;
  const listedAt = cache.listedAt;
  cache.renew();
  await until('a second list', () => cache.listedAt !== listedAt, { timeoutMs: 120_000 });
  over.abort();
  clearInterval(looking);
  return { list_seconds: seconds, heap_mib: (heap() - before) / MIB, peak_rss_mib: peak / MIB };
}

/** What the process holds once its garbage is gone, in bytes. */
function heap(): number {
  Bun.gc(true);
  Bun.shrink();
  return heapSize();
}

async function serve(): Promise<Server> {
  const child = Bun.spawn([process.execPath, import.meta.path], { stdout: 'pipe', stderr: 'inherit' });
  for await (const port of child.stdout.pipeThrough(new TextDecoderStream()))
    return { child, url: `http://127.0.0.1:${port.trim()}` };
  throw new Error(`the server of Nodes ended with code ${await child.exited} before it listened`);
}

/** So many pairs of a key and a value. */
const pairs = (count: number, prefix: string, index: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}.example.com/key-${at}`, `value-${index}`]));

/** A Node as it comes over the wire: what a kubelet of a busy machine reports. */
function node(index: number): string {
  const conditions = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure', 'KernelDeadlock'].map((type) => ({
    ...{ type, status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
    ...{ lastHeartbeatTime: '2026-01-01T00:00:00Z', lastTransitionTime: '2026-01-01T00:00:00Z' },
  }));
  const images = Array.from({ length: IMAGES }, (_, at) => {
    const name = `registry.example.com/team/image-${at}`;
    const digest = Bun.SHA256.hash(`${at} ${index % 7}`, 'hex');
    return { names: [`${name}@sha256:${digest}`, `${name}:v1.2.${index % 7}`], sizeBytes: 123_456_789 };
  });
  const managedFields = [{ manager: 'kubelet', operation: 'Update', fieldsV1: { pad: 'x'.repeat(2_000) } }];
  const metadata = { name: `node-${index}`, uid: `uid-${index}`, resourceVersion: String(index + 1), managedFields };
  return JSON.stringify({
    metadata: { ...metadata, labels: pairs(20, 'label', index), annotations: pairs(10, 'annotation', index) },
    spec: { providerID: `virtual:///${index}`, podCIDR: '10.1.0.0/24' },
    status: {
      ...{ conditions, images, capacity: { cpu: '8', memory: '32Gi' }, allocatable: { cpu: '7900m', memory: '30Gi' } },
      ...{ addresses: [{ type: 'InternalIP', address: '10.0.0.1' }], nodeInfo: { kubeletVersion: 'v1.36.2' } },
    },
  });
}

if (import.meta.main) {
  const changes = () => new ReadableStream({ pull: () => new Promise(() => {}) });
  servePages({ count: NODES, version: NODES, object: node, changes });
}
