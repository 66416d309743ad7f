import type { Node } from '../../controller/runtime/k8s/core.ts';
import type { Pod } from '../../controller/runtime/k8s/workload.ts';
import { LABEL_NODE } from '../../schemas/keys.ts';
import type { WorldClock } from '../world/clock.ts';
import type { Write } from '../world/store.ts';
import type { Chance } from './chance.ts';
import type { Server } from './server.ts';

/** What runs pods on the Nodes. */
export interface WorkloadParts {
  control: Server;
  target: Server;
  clock: WorldClock;
  chance: Chance;
  /** Of pods that come last. */
  lateChance: Chance;
}

const PODS = '/api/v1/namespaces/default/pods';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const MACHINES = 'machine.sapcloud.io/machines';
/** How often a pod comes last. */
const LATE_RATE = 0.3;
const LABELS = { app: 'shop' };

/** Some runs have a budget that forbids every eviction for so long, milliseconds. */
const STUBBORN = { rate: 0.2, from: 60_000, to: 280_000 };

/** Puts up to two pods on each Node that is new or takes pods again, and takes away those of Nodes that are gone, as a cluster's controllers do. */
export function runWorkload(parts: WorkloadParts): void {
  const { target, clock, chance } = parts;
  let made = 0;
  const place = ({ metadata: { name } }: Node) => {
    const node = target.api.store.get('/nodes', name) as Node | undefined;
    if (!node || node.spec?.unschedulable) return;
    for (let count = chance.whole(0, 2); count > 0; count--)
      send(target, 'POST', { path: PODS, body: podOn(name, `pod-${++made}`) });
  };
  const collect = (name: string) => {
    if (target.api.store.get('/nodes', name)) return;
    for (const pod of podsOn(target, name)) send(target, 'DELETE', { path: `${PODS}/${pod.metadata.name}` });
  };
  target.api.store.onWrite(({ resource, before, after, told }) => {
    if (resource !== '/nodes') return;
    const { name } = told.metadata;
    if (!before || (isCordoned(before) && after && !isCordoned(after)))
      clock.after(chance.between(100, 5_000), () => place(told as Node));
    if (!after) clock.after(chance.between(100, 5_000), () => collect(name));
  });
  bindLate(parts);
  if (chance.happens(STUBBORN.rate)) guard(target, clock, chance.between(STUBBORN.from, STUBBORN.to));
}

/** Now and then a pod is bound to the Node of a Machine in the moment in which that is deleted, before the cordon. */
function bindLate({ control, target, lateChance: chance }: WorkloadParts): void {
  let bound = 0;
  control.api.store.onWrite(({ resource, before, after }) => {
    const isLeaving = after?.metadata.deletionTimestamp && !before?.metadata.deletionTimestamp;
    if (resource !== MACHINES || !isLeaving || !chance.happens(LATE_RATE)) return;
    const name = after.metadata.labels?.[LABEL_NODE] ?? '';
    const node = target.api.store.get('/nodes', name) as Node | undefined;
    if (!node || node.spec?.unschedulable) return;
    send(target, 'POST', { path: PODS, body: podOn(name, `late-${++bound}`) });
  });
}

/** The pods of a Node. */
export const podsOn = (target: Server, nodeName: string): Pod[] =>
  (target.api.store.list('/pods') as Pod[]).filter(({ spec }) => spec?.nodeName === nodeName);

const podOn = (nodeName: string, name: string): Pod => ({ metadata: { name, labels: LABELS }, spec: { nodeName } });

/** A budget that allows nothing for a while. */
function guard(target: Server, clock: WorldClock, ms: number): void {
  const budget = { metadata: { name: 'shop' }, spec: { selector: { matchLabels: LABELS } } };
  send(target, 'POST', { path: BUDGETS, body: budget });
  const allow = (disruptionsAllowed: number) =>
    send(target, 'PATCH', {
      path: `${BUDGETS}/shop/status`,
      body: { status: { observedGeneration: 1, disruptionsAllowed } },
    });
  allow(0);
  clock.after(ms, () => allow(1));
}

function send(
  target: Server,
  method: 'POST' | 'PATCH' | 'DELETE',
  { path, body }: { path: string; body?: object },
): void {
  const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  target.handle('workload', { method, path, contentType, ...(body && { body: JSON.stringify(body) }) });
}

/** Remembers which pods were on a Node when it was cordoned: none of them may be there when its VM goes (hack/decisions/0051 L40). */
export class LastPods {
  readonly #target: Server;
  /** UIDs of pods by that of their Node. */
  readonly #bound = new Map<string, ReadonlySet<string | undefined>>();

  constructor(target: Server) {
    this.#target = target;
  }

  /** Something is written to the target. */
  note({ resource, before, after }: Write): void {
    if (resource !== '/nodes' || !after || isCordoned(before) || !isCordoned(after)) return;
    const bound = podsOn(this.#target, after.metadata.name);
    this.#bound.set(after.metadata.uid ?? '', new Set(bound.map(({ metadata }) => metadata.uid)));
  }

  /** Those of them that are still there. */
  left({ metadata: { uid = '', name } }: Node): Pod[] {
    const bound = this.#bound.get(uid);
    return podsOn(this.#target, name).filter(({ metadata }) => bound?.has(metadata.uid));
  }
}

const isCordoned = (node: Write['after']): boolean => (node as Node | undefined)?.spec?.unschedulable === true;
