import { keyOf } from '../../controller/runtime/k8s/object.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { WorldClock } from '../world/clock.ts';
import type { Write } from '../world/store.ts';
import type { Cloud } from './cloud.ts';
import type { Findings } from './finding.ts';
import type { Server } from './server.ts';

/** What the guard of zones watches. */
export interface ZoneParts {
  cloud: Cloud;
  control: Server;
  clock: WorldClock;
  findings: Findings;
}

/** More machines of a zone that are unhealthy than this share, and more than so many, are an outage of the zone (hack/decisions/0000 7). */
const OUTAGE = { share: 0.55, few: 2 };

/** An outage of a zone that lasts for so long is known to everybody, however late a watch is, milliseconds. */
const KNOWN_MS = 150_000;

const MACHINES = 'machine.sapcloud.io/machines';

/** Phases of machines that ran, and whether they are unhealthy. */
const ILL: Readonly<Record<string, boolean>> = { Running: false, Unknown: true };

/** Finds machines that are given up for being unhealthy while most of their zone is unhealthy. */
export class Zones {
  readonly #parts: ZoneParts;
  /** Since when most of a zone is unhealthy. */
  readonly #outages = new Map<string, number>();

  constructor(parts: ZoneParts) {
    this.#parts = parts;
    parts.control.api.store.onWrite((write) => this.#written(write));
  }

  #written({ resource, before, after, told }: Write): void {
    if (resource !== MACHINES) return;
    const isChanged = phaseOf(before) !== phaseOf(after);
    const zone = this.#zoneOf(told as Machine);
    const isGivenUp = isChanged && phaseOf(after) === 'Failed' && reasonOf(after) === 'HealthTimedOut';
    if (zone && isGivenUp) this.#givenUp(told as Machine, zone);
    if (zone && isChanged) this.#count(zone);
    // An outage may end with a machine that goes, whose VM tells no zone any more.
    for (const known of [...this.#outages.keys()]) this.#count(known);
  }

  #givenUp(machine: Machine, zone: string): void {
    const { clock, findings } = this.#parts;
    const lastsMs = clock.now() - (this.#outages.get(zone) ?? Infinity);
    if (lastsMs > KNOWN_MS)
      findings.add(
        'no machine goes in an outage of its zone',
        `${keyOf(machine)} is given up, while zone ${zone} is unhealthy for ${lastsMs / 1000} s`,
      );
  }

  #count(zone: string): void {
    const { control, clock } = this.#parts;
    const machines = (control.api.store.list(MACHINES) as Machine[]).filter(
      (machine) => !machine.metadata.deletionTimestamp && this.#zoneOf(machine) === zone,
    );
    const ran = machines.map(phaseOf).filter((phase) => phase in ILL);
    const ill = ran.filter((phase) => ILL[phase]).length;
    if (ill <= OUTAGE.few || ill <= OUTAGE.share * ran.length) this.#outages.delete(zone);
    else if (!this.#outages.has(zone)) this.#outages.set(zone, clock.now());
  }

  #zoneOf = ({ spec }: Machine): string | undefined => this.#parts.cloud.vms.get(spec?.providerID ?? '')?.zone;
}

const phaseOf = (object: object | undefined): string =>
  (object as Machine | undefined)?.status?.currentStatus?.phase ?? '';

const reasonOf = (object: object | undefined): string =>
  (object as Machine | undefined)?.status?.currentStep?.reason ?? '';
