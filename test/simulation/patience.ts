import { keyOf } from '../../controller/runtime/k8s/object.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { WorldClock } from '../world/clock.ts';
import type { Write } from '../world/store.ts';
import type { Findings } from './finding.ts';
import { HEALTH_MS } from './process.ts';

/** Times on record are whole seconds, and a process that takes over may go by a clock that is off by a blip. */
const SLACK_MS = 35_000;

/** Finds machines that are given up for ill health sooner than they may, by the true time, whatever any clock shows. */
export class Patience {
  readonly #illSince = new Map<string, number>();
  readonly #parts: { clock: Pick<WorldClock, 'now'>; findings: Findings };

  constructor(parts: { clock: Pick<WorldClock, 'now'>; findings: Findings }) {
    this.#parts = parts;
  }

  /** A Machine was written. */
  note({ before, after }: Write): void {
    const [was, is] = [before as Machine | undefined, after as Machine | undefined];
    const uid = is?.metadata.uid ?? was?.metadata.uid ?? '';
    const now = this.#parts.clock.now();
    const since = this.#illSince.get(uid) ?? now;
    if (is && phaseOf(is) === 'Unknown') this.#illSince.set(uid, since);
    else this.#illSince.delete(uid);
    if (!is || phaseOf(was) === 'Failed' || phaseOf(is) !== 'Failed') return;
    const hasty = is.status?.deciding?.reason === 'HealthTimedOut' && now - since < HEALTH_MS - SLACK_MS;
    if (!hasty) return;
    const says = `${keyOf(is)} is given up after ${(now - since) / 1000} s of ill health`;
    this.#parts.findings.add('no machine is given up before its time', says);
  }
}

const phaseOf = (machine: Machine | undefined): string => machine?.status?.currentStatus?.phase ?? '';
