import { numbersOf } from '../../controller/machinedeployment/flow/view.ts';
import { keyOf } from '../../controller/runtime/k8s/object.ts';
import { ANNOTATION_DESIRED } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import type { Request } from '../world/apiserver.ts';
import type { WorldClock } from '../world/clock.ts';
import type { Write } from '../world/store.ts';
import type { CallMethod } from './driver.ts';
import type { Findings } from './finding.ts';
import type { Lifetime } from './lifetime.ts';
import { isMute } from './outage.ts';
import { HEALTH_MS } from './process.ts';
import type { Server } from './server.ts';
import type { User } from './user.ts';

/** What the guard of outages watches. */
export interface FreezeParts {
  control: Server;
  target: Server;
  clock: WorldClock;
  findings: Findings;
  user: User;
  /** There is a target cluster that the process knows of. */
  joins: boolean;
}

/** Where somebody acts: a process, and whether it has just come to life. */
export interface Actor {
  who: string;
  lifetime: Lifetime;
}

/**
 * An outage counts after 30 s. A process sees that it began with its next probe, 10 s later, which takes up to 5 s; a
 * request that it made before may still be on its way, and is made again for up to 30 s. Milliseconds.
 */
const KNOWN_MS = 90_000;

/** Whoever starts so long before the end of an outage has seen a blip, and counts from its start, milliseconds. */
const BLIP_MS = 30_000;

/** A watch may be silent for so long before anybody minds, and the list after it take so long, milliseconds. */
const UNHEARD_MS = 150_000;

const MACHINES = 'machine.sapcloud.io/machines';
const GIVEN_UP: ReadonlySet<string> = new Set(['HealthTimedOut', 'RegistrationTimedOut']);
const TAKES = /\/(machines|machinesets|nodes)\/[^/?]+(\?|$)/;
const RESIZED = /\/machinesets\/([^/?]+)/;

/** Finds what is taken away, or made by a rollout, while a process knows that an API server is unreachable. */
export class Freezes {
  readonly #parts: FreezeParts;

  constructor(parts: FreezeParts) {
    this.#parts = parts;
    parts.control.api.store.onWrite((write) => this.#written(write));
  }

  /** A process calls the driver. */
  called(actor: Actor, method: CallMethod, machine: Machine): void {
    if (method === 'deleteMachine') this.#nothingDuringOutage(actor, `the VM of ${keyOf(machine)} is deleted`);
    const isBlind = this.#knows(actor, this.#parts.control);
    if (method === 'createMachine' && isBlind) this.#find(`${actor.who} makes a VM that nobody could record`);
  }

  /** A process sends a request. */
  sent(actor: Actor, { method, path, body }: Request): void {
    if (method === 'DELETE' && TAKES.test(path)) this.#nothingDuringOutage(actor, `${method} ${path}`);
    const replicas = method === 'PATCH' && RESIZED.test(path) ? replicasIn(body) : undefined;
    if (replicas !== undefined) this.#resized(actor, { path, replicas });
  }

  /**
   * No set becomes smaller, and of a rollout none larger, so that there are more than the deployment asks for. A change of its
   * size may make as many as in any rollout: creation takes nothing away (hack/decisions/0058).
   */
  #resized(actor: Actor, { path, replicas }: { path: string; replicas: number }): void {
    const [, name] = RESIZED.exec(path) ?? [];
    const [pool] = this.#parts.user.all('machinedeployments');
    const sets = this.#parts.user.all('machinesets');
    const isMeant = ({ metadata }: MachineSet) => metadata.name === name;
    const sizeOf = (set: MachineSet) => (isMeant(set) ? replicas : (set.spec?.replicas ?? 0));
    const before = sets.reduce((sum, { spec }) => sum + (spec?.replicas ?? 0), 0);
    const after = sets.reduce((sum, set) => sum + sizeOf(set), 0);
    const wanted = pool?.spec.replicas ?? 0;
    const isScaling = sets.some((set) => isMeant(set) && sizedFor(set) !== wanted);
    const most = isScaling && pool ? wanted + numbersOf(pool).surge : wanted;
    if (after < before || (after > before && after > most))
      this.#nothingDuringOutage(actor, `sets are made ${after} large that were ${before}, at most ${most} may be`);
  }

  #nothingDuringOutage(actor: Actor, what: string): void {
    for (const server of this.#servers())
      if (this.#knows(actor, server))
        this.#find(`${actor.who}: ${what}, while the ${server.name} API server is unreachable`);
  }

  #servers(): Server[] {
    const { control, target, joins } = this.#parts;
    return joins ? [control, target] : [control];
  }

  /** The process must know by now that it does not reach the server. */
  #knows({ lifetime }: Actor, { outage }: Server): boolean {
    const now = this.#parts.clock.now();
    const since = Math.max(isMute(outage) ? (outage?.since ?? now) : now, lifetime.awakeSince);
    return now - Math.min(since, lifetime.cutSince ?? now) > KNOWN_MS;
  }

  #written({ resource, before, after }: Write): void {
    if (resource !== MACHINES || !after) return;
    const [was, is] = [before as Machine | undefined, after as Machine];
    const reason = is.status?.currentStep?.reason ?? '';
    const isNew = was?.status?.currentStatus?.phase !== 'Failed' && is.status?.currentStatus?.phase === 'Failed';
    if (isNew && GIVEN_UP.has(reason)) this.#givenUp(is, reason);
  }

  /** Bad health counts only from the end of an outage on. */
  #givenUp(machine: Machine, reason: string): void {
    const now = this.#parts.clock.now();
    for (const { name, outage, past } of this.#servers()) {
      const outages = outage ? [...past, { ...outage, until: now }] : past;
      const last = outages.findLast((one) => one.until - one.since > (isMute(one) ? KNOWN_MS : UNHEARD_MS));
      const agoMs = now - (last?.until ?? 0);
      if (agoMs < HEALTH_MS - BLIP_MS)
        this.#find(`${keyOf(machine)} is given up (${reason}) ${agoMs / 1000} s after the ${name} API server was away`);
    }
  }

  #find(says: string): void {
    this.#parts.findings.add('nothing goes in an outage', says);
  }
}

/** For which size of its deployment the set was sized last. */
const sizedFor = ({ metadata }: MachineSet): number => Number(metadata.annotations?.[ANNOTATION_DESIRED]);

function replicasIn(body: string | undefined): number | undefined {
  const patch: unknown = JSON.parse(body ?? '{}');
  if (!Array.isArray(patch)) return (patch as { spec?: { replicas?: number } }).spec?.replicas;
  return (patch as Array<{ path: string; value: number }>).find(({ path }) => path === '/spec/replicas')?.value;
}
