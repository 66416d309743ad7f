import type { Machine } from '../../../schemas/machine.ts';
import type { Cache } from '../../runtime/cache.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { type Area, type Hold, holdIn, type MeltdownLimits, nextOutage, type Outage, type Tally } from './areas.ts';
import { standingOf } from './standing.ts';
import type { Place } from './zone.ts';

/** What a census counts, and by what it judges. */
export interface CensusParts {
  machines: Pick<Cache<Machine>, 'list'>;
  placeOf(machine: Machine): Place;
  limits: MeltdownLimits;
  clock: Pick<Clock, 'now' | 'monotonic'>;
  log: Log;
}

/** One area of a count. */
export interface Counted extends Area {
  cluster: string;
}

/** For so long a count is good. */
const FRESH_MS = 2_000;
/** For so long a machine that was given up counts as such before a cache shows it. */
const UNSEEN_MS = 10_000;

/**
 * How many machines of each target cluster and zone are ill. All are counted at once, when somebody asks, and at most
 * every two seconds: whoever is ill asks, so an outage of ten thousand machines is ten thousand questions and few counts.
 */
export class Census {
  readonly #parts: CensusParts;
  #areas = new Map<string, Counted>();
  /** On the monotonic clock, as all moments in here. */
  #countedAt = -Infinity;
  /** By key of the area. */
  readonly #outages = new Map<string, Outage>();
  /** Machines that were given up a moment ago, by UID: until when they count as such. */
  readonly #givenUp = new Map<string, number>();

  constructor(parts: CensusParts) {
    this.#parts = parts;
  }

  /** What the health of others, in its zone and its target cluster, holds against giving up this machine now. */
  holdFor(machine: Machine): Hold | undefined {
    const { clock } = this.#parts;
    const now = clock.monotonic();
    this.#count(now);
    const place = this.#parts.placeOf(machine);
    const zone = this.#withoutOwn(machine, this.#outOf(place) ?? this.#area(place));
    const cluster = this.#area({ cluster: place.cluster });
    return holdIn({ zone, cluster }, { now, wall: clock.now(), ...this.#parts.limits });
  }

  /** A machine may be in any zone that is out, when nobody says where it is: its Node, which did, is gone. */
  #outOf({ cluster, zone }: Place): Counted | undefined {
    if (zone !== '') return undefined;
    return [...this.#areas.values()].find((area) => area.cluster === cluster && area.zone && area.outage);
  }

  /** A machine that has taken its place in the budget is not in its own way. */
  #withoutOwn({ metadata }: Machine, zone: Counted): Counted {
    if (!this.#givenUp.has(metadata.uid ?? '')) return zone;
    return { ...zone, tally: { ...zone.tally, replaced: zone.tally.replaced - 1 } };
  }

  /** The machine is given up for ill health: from now on it counts, whatever the cache shows. */
  givenUp(machine: Machine): void {
    const { uid = '' } = machine.metadata;
    if (this.#givenUp.has(uid)) return;
    this.#givenUp.set(uid, this.#parts.clock.monotonic() + UNSEEN_MS);
    const place = this.#parts.placeOf(machine);
    for (const { tally } of [this.#area(place), this.#area({ cluster: place.cluster })]) tally.replaced += 1;
  }

  /** Every zone, and every target cluster as a whole, that has machines which ran once. */
  areas(): Iterable<Counted> {
    this.#count(this.#parts.clock.monotonic());
    return this.#areas.values();
  }

  #count(now: number): void {
    if (now - this.#countedAt < FRESH_MS) return;
    this.#countedAt = now;
    this.#areas = new Map();
    for (const [uid, until] of this.#givenUp) if (until <= now) this.#givenUp.delete(uid);
    for (const machine of this.#parts.machines.list()) this.#add(machine);
    const known = new Set([...this.#areas.keys(), ...this.#outages.keys()]);
    for (const key of known) this.#judge(key, now);
  }

  #add(machine: Machine): void {
    const seen = standingOf(machine, this.#parts.clock.now());
    if (!seen) return;
    const standing = this.#givenUp.has(machine.metadata.uid ?? '') ? 'replaced' : seen;
    const place = this.#parts.placeOf(machine);
    for (const { tally } of [this.#area(place), this.#area({ cluster: place.cluster })]) {
      tally.total += 1;
      if (standing !== 'well') tally.ill += 1;
      if (standing === 'replaced') tally.replaced += 1;
    }
  }

  #judge(key: string, now: number): void {
    const area = this.#areas.get(key);
    const before = this.#outages.get(key);
    const tally = area?.tally ?? { total: 0, ill: 0, replaced: 0 };
    const outage = nextOutage(before, tally, { now, ...this.#parts.limits });
    if (outage) this.#outages.set(key, outage);
    else this.#outages.delete(key);
    if (area) area.outage = outage;
    if (area) this.#tell(area, before, outage);
  }

  #tell({ cluster, zone, tally }: Counted, before: Outage | undefined, outage: Outage | undefined): void {
    const { log } = this.#parts;
    const where = { cluster: cluster || 'default', ...(zone !== undefined && { zone }), ...tally };
    if (outage && !before) log.warn('too many machines are unhealthy: none is replaced for ill health', where);
    if (before && !outage) log.info('unhealthy machines are replaced again', where);
  }

  #area({ cluster, zone }: { cluster: string; zone?: string }): Counted {
    const key = zone === undefined ? cluster : `${cluster} ${zone}`;
    const known = this.#areas.get(key);
    if (known) return known;
    const tally: Tally = { total: 0, ill: 0, replaced: 0 };
    const area: Counted = { cluster, ...(zone !== undefined && { zone }), tally, outage: this.#outages.get(key) };
    this.#areas.set(key, area);
    return area;
  }
}
