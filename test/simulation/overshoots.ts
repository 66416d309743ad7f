import { freezeStateOf, isFrozen } from '../../controller/model/freeze.ts';
import { ownedBy } from '../../controller/model/ownership.ts';
import { controllerOf, type KubeObject } from '../../controller/runtime/k8s/object.ts';
import { FROZEN, LABEL_FREEZE } from '../../schemas/keys.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import type { Request } from '../world/apiserver.ts';
import type { WorldClock } from '../world/clock.ts';
import type { Write } from '../world/store.ts';
import type { Findings } from './finding.ts';
import type { Actor } from './freezes.ts';
import { POOL } from './herd.ts';
import type { Server } from './server.ts';
import type { Stage } from './stage.ts';

/** Machines whose names begin so were made by somebody for a set that did not ask for them. */
const EXTRA = 'extra-';

const MACHINES = /\/namespaces\/herd\/machines(\?|$)/;

/** Somebody else made it. */
export const isExtra = ({ metadata }: KubeObject): boolean => metadata.name.startsWith(EXTRA);

/** Somebody makes machines for a set, with its labels and an owner reference to it. */
export function makeExtra({ user, chance, clock }: Stage): void {
  const sets = user.all('machinesets');
  if (sets.length === 0) return;
  const set = chance.oneOf(sets);
  const { metadata, spec } = set.spec?.template ?? {};
  for (const index of Array(chance.whole(1, 8)).keys()) {
    const name = `${EXTRA}${clock.now().toString(36)}-${index}`;
    const labels = metadata?.labels ?? {};
    const ownerReferences = [ownedBy(set, 'MachineSet')];
    user.make('machines', {
      apiVersion: 'machine.sapcloud.io/v1alpha1',
      kind: 'Machine',
      metadata: { name, labels, ownerReferences },
      spec,
    });
  }
}

/** Somebody freezes the deployment by label, or takes that label off. */
export function freezePool({ user }: Pick<Stage, 'user'>, frozen: boolean): void {
  user.change('machinedeployments', POOL, { metadata: { labels: { [LABEL_FREEZE]: frozen ? FROZEN : null } } });
}

/** What it takes to know that something frozen makes machines. */
interface OvershootParts {
  control: Server;
  clock: WorldClock;
  findings: Findings;
  /** How long a process may not have heard that somebody else froze something, milliseconds. */
  staleMs: number;
}

/** Finds processes that make machines for a set although they know that it is frozen (hack/decisions/0000 7). */
export class Overshoots {
  readonly #parts: OvershootParts;
  /** What is frozen, by UID: since when, and who said so. */
  readonly #frozen = new Map<string, { since: number; by: string }>();

  constructor(parts: OvershootParts) {
    this.#parts = parts;
  }

  /** Remembers what is frozen. */
  note({ after, before }: Write): void {
    const { clock, control } = this.#parts;
    const uid = (after ?? before)?.metadata.uid ?? '';
    if (!after || !isFrozen(freezeOf(after))) this.#frozen.delete(uid);
    else if (!this.#frozen.has(uid)) this.#frozen.set(uid, { since: clock.now(), by: control.actor });
  }

  /** A restored backup has these objects: what is frozen in it is frozen from now on, and nothing else is. */
  rewound(objects: readonly KubeObject[]): void {
    this.#frozen.clear();
    for (const { metadata } of objects.filter((one) => isFrozen(freezeOf(one))))
      this.#frozen.set(metadata.uid ?? '', { since: this.#parts.clock.now(), by: '' });
  }

  /** A process sends a request. */
  sent({ who }: Actor, { method, path, body }: Request): void {
    if (method !== 'POST' || !MACHINES.test(path) || !body) return;
    const owner = controllerOf(JSON.parse(body) as KubeObject)?.uid ?? '';
    const set = this.#parts.control.api.store
      .list('machine.sapcloud.io/machinesets')
      .find(({ metadata }) => metadata.uid === owner);
    const above = set && controllerOf(set)?.uid;
    const { clock, findings, staleMs } = this.#parts;
    const isKnown = (uid: string) => clock.now() - (this.#frozen.get(uid)?.since ?? Infinity) > staleMs;
    if (this.#frozen.get(owner)?.by === who || isKnown(owner) || isKnown(above ?? ''))
      findings.add('nothing is made for what is frozen', `${who} makes a machine for ${set?.metadata.name}`);
  }
}

/** How the freeze of a set or deployment stands. */
export function freezeOf(object: KubeObject) {
  const { status } = object as MachineSet & MachineDeployment;
  return freezeStateOf(object, status?.machineSetCondition ?? status?.conditions);
}
