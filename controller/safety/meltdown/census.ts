import { LABEL_NODE } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { MachineClass } from '../../../schemas/machineclass.ts';
import { isLabelValue } from '../../../schemas/selector.ts';
import { knownClass, type Lookup } from '../../model/class.ts';
import { clusterKeyOf, openTargetOf, type Targets } from '../../model/target.ts';
import { zoneIn } from '../../nodes/change.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import type { Log } from '../../runtime/observability/log.ts';
import type { Cache } from '../../runtime/watch/cache.ts';
import {
  type Area,
  holdIn,
  type Judged,
  type MeltdownLimits,
  nextOutage,
  type Outage,
  type ReplacementHold,
  type Tally,
} from './policy.ts';
import { healthOf, isHeard, judgedIn, sumOf, type Voice } from './zonehealth.ts';

/** What a census counts, and by what it judges. */
export interface CensusParts {
  machines: Pick<Cache<Machine>, 'list'>;
  placeOf(machine: Machine): Place;
  limits: MeltdownLimits;
  clock: Pick<Clock, 'now' | 'monotonic'>;
  log: Log;
}

/** One area of a count, with the machines of all namespaces. */
export interface Counted {
  cluster: string;
  zone?: string;
  tally: Tally;
  /** It is an outage for some namespace. */
  isOut: boolean;
}

/** One area with its machines by namespace. */
interface Counting {
  cluster: string;
  zone?: string;
  voices: Map<string, Voice>;
}

/** For so long a count is good. */
const FRESH_MS = 2_000;
/** For so long a machine that was given up counts as such before a cache shows it. */
const UNSEEN_MS = 10_000;

/**
 * How many machines of each target cluster and zone are unhealthy, and which namespaces that holds up (health.ts). All are counted at once,
 * on request, and at most every two seconds: each unhealthy machine requests it, so an outage of ten thousand machines is ten thousand
 * requests and few counts.
 */
export class Census {
  readonly #parts: CensusParts;
  #areas = new Map<string, Counting>();
  /** On the monotonic clock, as all moments in here. */
  #countedAt = -Infinity;
  /** By namespace and key of the area. */
  readonly #outages = new Map<string, Outage>();
  /** Machines that were given up a moment ago, by UID: until when they count as such. */
  readonly #givenUp = new Map<string, number>();

  constructor(parts: CensusParts) {
    this.#parts = parts;
  }

  /** What the health of others, in its zone and its target cluster, holds against giving up this machine now. */
  holdFor(machine: Machine): ReplacementHold | undefined {
    const { clock } = this.#parts;
    const now = clock.monotonic();
    this.#count(now);
    const place = this.#parts.placeOf(machine);
    const namespace = namespaceOf(machine);
    const zone = this.#withoutOwn(machine, this.#outOf(place, namespace) ?? this.#areaOf(place, namespace));
    const cluster = this.#areaOf({ cluster: place.cluster }, namespace);
    return holdIn({ zone, cluster }, { now, wall: clock.now(), ...this.#parts.limits });
  }

  /**
   * A machine whose zone is unknown, and always was, may be in any zone that has an outage, but in none without another machine of its
   * namespace: tenants may name zones as they like.
   */
  #outOf({ cluster, zone }: Place, namespace: string): Area | undefined {
    if (zone !== '') return undefined;
    return [...this.#areas.values()]
      .filter((area) => area.cluster === cluster && area.zone && area.voices.has(namespace))
      .map((area) => this.#areaOf(area, namespace))
      .find(({ outage }) => outage);
  }

  /** A machine that has taken its place in the budget is not in its own way. */
  #withoutOwn({ metadata }: Machine, zone: Area): Area {
    if (!this.#givenUp.has(metadata.uid ?? '')) return zone;
    return { ...zone, tally: { ...zone.tally, replaced: zone.tally.replaced - 1 } };
  }

  /** The machine is given up for being unhealthy: from now on it counts, whatever the cache shows. */
  givenUp(machine: Machine): void {
    const { uid = '' } = machine.metadata;
    if (this.#givenUp.has(uid)) return;
    this.#givenUp.set(uid, this.#parts.clock.monotonic() + UNSEEN_MS);
    for (const { own } of this.#voicesOf(machine)) own.replaced += 1;
  }

  /** Every zone, and every target cluster as a whole, that has machines which ran once. */
  areas(): Iterable<Counted> {
    this.#count(this.#parts.clock.monotonic());
    return [...this.#areas].map(([key, { voices, ...area }]) => ({
      ...area,
      tally: sumOf([...voices.values()].map(({ own }) => own)),
      isOut: [...voices.keys()].some((namespace) => this.#outages.has(outageKey(namespace, key))),
    }));
  }

  #count(now: number): void {
    if (now - this.#countedAt < FRESH_MS) return;
    this.#areas = new Map();
    for (const [uid, until] of this.#givenUp) if (until <= now) this.#givenUp.delete(uid);
    for (const machine of this.#parts.machines.list()) this.#add(machine);
    for (const [key, area] of this.#areas) this.#judge(key, area, now);
    this.#calm(now);
    // Last: a count that fails is made again, and no half of one is believed.
    this.#countedAt = now;
  }

  #add(machine: Machine): void {
    const seen = healthOf(machine, this.#parts.clock.now());
    if (!seen) return;
    const health = this.#givenUp.has(machine.metadata.uid ?? '') ? 'replaced' : seen;
    const isForAll = isHeard(machine);
    for (const tally of this.#voicesOf(machine).flatMap(({ own, heard }) => (isForAll ? [own, heard] : [own]))) {
      tally.total += 1;
      if (health !== 'healthy') tally.unhealthy += 1;
      if (health === 'replaced') tally.replaced += 1;
    }
  }

  #judge(key: string, { voices, ...area }: Counting, now: number): void {
    const judgedFor = judgedIn(voices, this.#parts.limits.outagePercent);
    for (const namespace of voices.keys()) {
      const judged = judgedFor(namespace);
      const [before, outage] = this.#next(outageKey(namespace, key), judged, now);
      this.#tell({ ...area, namespace, ...judged }, before, outage);
    }
  }

  /** Areas in which a namespace has nothing any more: their outages end as any other. */
  #calm(now: number): void {
    const known = new Set(
      [...this.#areas].flatMap(([key, { voices }]) => [...voices.keys()].map((one) => outageKey(one, key))),
    );
    for (const key of [...this.#outages.keys()]) if (!known.has(key)) this.#next(key, sumOf([]), now);
  }

  #next(key: string, judged: Judged, now: number): [before: Outage | undefined, outage: Outage | undefined] {
    const before = this.#outages.get(key);
    const outage = nextOutage(before, judged, { now, ...this.#parts.limits });
    if (outage) this.#outages.set(key, outage);
    else this.#outages.delete(key);
    return [before, outage];
  }

  #tell(
    { cluster, ...judged }: Judged & { cluster: string; namespace: string },
    before: Outage | undefined,
    outage: Outage | undefined,
  ): void {
    const { log } = this.#parts;
    const where = { cluster: cluster || 'default', ...judged };
    if (outage && !before) log.warn('too many machines are unhealthy: none is replaced for being unhealthy', where);
    if (before && !outage) log.info('unhealthy machines are replaced again', where);
  }

  /** An area as a namespace has it. */
  #areaOf({ cluster, zone }: AreaName, namespace: string): Area {
    const key = areaKey({ cluster, zone });
    const tally = this.#areas.get(key)?.voices.get(namespace)?.own ?? sumOf([]);
    return { ...(zone !== undefined && { zone }), tally, outage: this.#outages.get(outageKey(namespace, key)) };
  }

  /** Where a machine is counted: in its zone, and in its target cluster. */
  #voicesOf(machine: Machine): Voice[] {
    const place = this.#parts.placeOf(machine);
    return [place, { cluster: place.cluster }].map((name) => this.#voice(name, namespaceOf(machine)));
  }

  #voice({ cluster, zone }: AreaName, namespace: string): Voice {
    const key = areaKey({ cluster, zone });
    const area = this.#areas.get(key) ?? { cluster, ...(zone !== undefined && { zone }), voices: new Map() };
    this.#areas.set(key, area);
    const voice = area.voices.get(namespace) ?? { own: sumOf([]), heard: sumOf([]) };
    area.voices.set(namespace, voice);
    return voice;
  }
}

/** A zone of a target cluster, or that cluster as a whole. */
interface AreaName {
  cluster: string;
  zone?: string | undefined;
}

const namespaceOf = ({ metadata }: Machine): string => metadata.namespace ?? '';

/** Names of clusters and namespaces have no blanks. */
const areaKey = ({ cluster, zone }: AreaName): string => (zone === undefined ? cluster : `${cluster} ${zone}`);

const outageKey = (namespace: string, area: string): string => `${namespace} ${area}`;

/** Where a machine is: its target cluster, empty for the default one, and its zone, empty where nobody names one. */
export interface Place {
  cluster: string;
  zone: string;
}

/** Where zones are read. */
export interface ZoneSources {
  targets: Pick<Targets, 'of'>;
  classes: Lookup<MachineClass>;
}

/**
 * Where the machine is. Its zone is what its Node says, or said last: its Node may go in an outage, and the machine is counted where it is
 * all the same (hack/decisions/0051 L96). Else it is what the machine asks its Node to say, else what its class says. What no label of
 * Kubernetes can say is nobody's zone: it stands in metrics and messages, and comes from tenants and their clusters.
 */
export function placeOf({ targets, classes }: ZoneSources, machine: Machine): Place {
  const { metadata, spec, status } = machine;
  const cluster = clusterKeyOf(machine);
  const node: Node | undefined = openTargetOf(targets, machine)?.nodes.get(metadata.labels?.[LABEL_NODE] ?? '');
  const told = zoneIn(node?.metadata.labels) ?? (status?.zone || undefined);
  const zone = told ?? zoneIn(spec?.nodeTemplate?.metadata?.labels);
  const named = zone ?? knownClass(classes, machine)?.nodeTemplate?.zone ?? '';
  return { cluster, zone: isLabelValue(named) ? named : '' };
}
