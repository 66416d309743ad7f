import type { Connection } from '../../controller/runtime/client/api.ts';
import { pathOf } from '../../controller/runtime/client/requests.ts';
import { type Node, nodes } from '../../controller/runtime/k8s/core.ts';
import { FINALIZER, LABEL_NODE } from '../../schemas/keys.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { openCensus } from './census.ts';
import { type Cost, costOf } from './measure.ts';
import type { Stage } from './stage.ts';

/** A Machine that is Running and its Node, as a controller left them: what the bare client writes again. */
export interface Sample {
  machine: Machine;
  node: Node;
}

/** How many machines come and how many of them go again, with how many requests at the same time. */
export interface FloorSize {
  size: number;
  leaving: number;
  width: number;
}

const MERGE = 'application/merge-patch+json';

/** Who writes: the controller itself, whose token the API server checks faster than an administrator's certificate. */
const ACCOUNT = ['drover-system', 'drover-controller'] as const;

/**
 * Makes only the writes that nobody can do without, as fast as the API server lets it, while no controller looks: create
 * Machine, create Node, patch spec, patch status; and delete Machine, delete Node, patch the finalizer off.
 */
export async function floor(
  stage: Stage,
  sample: Sample,
  { size, leaving, width }: FloorSize,
): Promise<{ up: Cost; down: Cost }> {
  const { namespace, over, census, up, down } = await bareGround(stage, sample);
  const names = Array.from({ length: size }, (_, at) => `${namespace}-${at}`);
  try {
    const costUp = await costOf(stage, async () => {
      await pooled(names, width, up);
      await census.running(size);
    });
    const costDown = await costOf(stage, async () => {
      await pooled(names.slice(0, leaving), width, down);
      await census.left(size - leaving);
    });
    await pooled(names.slice(leaving), width, down);
    return { up: costUp, down: costDown };
  } finally {
    over.abort();
  }
}

/**
 * The same writes for a rollout: each machine makes room as soon as its successor is Running, `width` at a time, so that
 * there are never more than `size` + `width`.
 */
export async function rolloutFloor(
  stage: Stage,
  sample: Sample,
  { size, width }: { size: number; width: number },
): Promise<Cost> {
  const { namespace, over, census, up, down } = await bareGround(stage, sample);
  const named = (round: string) => Array.from({ length: size }, (_, at) => `${namespace}-${round}-${at}`);
  const successors = named('new');
  try {
    await pooled(named('old'), width, up);
    await census.running(size);
    const cost = await costOf(stage, async () => {
      await pooled(successors, width, async (name) => {
        await up(name);
        await down(name.replace('-new-', '-old-'));
      });
      await census.left(size);
    });
    await pooled(successors, width, down);
    return cost;
  } finally {
    over.abort();
  }
}

interface ClientParts {
  connection: Connection;
  namespace: string;
  sample: Sample;
}

/** The writes for one machine: all that make it and its Node, and all that take both away. */
function bareClient({ connection, namespace, sample }: ClientParts) {
  const send = sender(connection);
  return {
    async up(name: string): Promise<void> {
      const machine = pathOf(resources.machines, { namespace, name });
      const { created, identity, status } = machineParts(sample.machine, { namespace, name });
      await send('POST', pathOf(resources.machines, { namespace }), created);
      await send('POST', pathOf(nodes, {}), nodeLike(sample.node, name));
      await send('PATCH', machine, identity);
      await send('PATCH', `${machine}/status`, { status });
    },
    async down(name: string): Promise<void> {
      const machine = pathOf(resources.machines, { namespace, name });
      await send('DELETE', machine);
      await send('DELETE', pathOf(nodes, { name }));
      await send('PATCH', machine, { metadata: { finalizers: [] } });
    },
  };
}

/** What is written of a Machine at its creation, with its VM, and at its end. */
function machineParts(
  { apiVersion, kind, metadata, spec, status }: Machine,
  name: { namespace: string; name: string },
) {
  const { [LABEL_NODE]: _, ...labels } = metadata.labels ?? {};
  const { providerID: __, ...template } = spec ?? {};
  const { annotations } = metadata;
  return {
    created: { apiVersion, kind, metadata: { ...name, labels, annotations, finalizers: [FINALIZER] }, spec: template },
    identity: { metadata: { labels: { [LABEL_NODE]: name.name } }, spec: { providerID: providerIDOf(name.name) } },
    status,
  };
}

function nodeLike({ metadata, spec, status }: Node, name: string) {
  const { taints: _, ...rest } = spec ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { ...metadata.labels, 'kubernetes.io/hostname': name } },
    spec: { ...rest, providerID: providerIDOf(name) },
    status,
  };
}

/** As of the virtual driver: policies let the account register no other Nodes. */
const providerIDOf = (name: string): string => `virtual:///${name}`;

/** Sends a request and reads its answer, no more. */
function sender({ server, tls, credentials }: Connection) {
  return async (method: string, path: string, body?: object): Promise<void> => {
    const authorization = await credentials.header();
    const answer = await fetch(server + path, {
      method,
      ...(tls && { tls }),
      ...(body && { body: JSON.stringify(body) }),
      headers: {
        'content-type': method === 'PATCH' ? MERGE : 'application/json',
        ...(authorization !== undefined && { authorization }),
      },
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  };
}

/** Runs over all items, `at` a time. */
async function pooled<T>(items: readonly T[], at: number, run: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const work = async () => {
    for (const item of rest) await run(item);
  };
  await Promise.all(Array.from({ length: at }, work));
}

/** A namespace of its own with a census of it, and what writes there as a controller would. */
async function bareGround({ cluster, api }: Stage, sample: Sample) {
  const namespace = await cluster.namespace('floor');
  const over = new AbortController();
  const census = await openCensus(api, namespace, over.signal);
  const { connection } = await cluster.serviceAccount(...ACCOUNT);
  return { namespace, over, census, ...bareClient({ connection, namespace, sample }) };
}
