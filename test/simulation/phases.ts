import { mayFollow } from '../../controller/model/phases.fixture.ts';
import { phaseOf } from '../../controller/model/phases.ts';
import { keyOf } from '../../controller/runtime/k8s/object.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { Phase } from '../../schemas/machinestatus.ts';
import type { WorldClock } from '../world/clock.ts';
import type { Write } from '../world/store.ts';
import type { Findings } from './finding.ts';
import type { FreezeParts } from './freezes.ts';
import { HEALTH_MS } from './process.ts';

/** Finds a phase of a Machine that does not follow from the one before. */
export function watchPhases({ control, findings }: Pick<FreezeParts, 'control' | 'findings'>): void {
  control.api.store.onWrite(({ resource, before, after }: Write) => {
    if (resource !== 'machine.sapcloud.io/machines' || !before || !after) return;
    const [was, is] = [before, after].map((one) => phaseOf(one as Machine) as Phase) as [Phase, Phase];
    if (!mayFollow(was, is))
      findings.add('a phase follows from the one before', `${keyOf(after)} went from "${was}" to "${is}"`);
  });
}

/** Times on record are whole seconds, and a process that takes over may go by a clock that is off by a blip. */
const SLACK_MS = 35_000;

/** Finds machines that are given up for being unhealthy sooner than they may, by the true time, whatever any clock shows. */
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
    if (!is || (was && phaseOf(was) === 'Failed') || phaseOf(is) !== 'Failed') return;
    const hasty = is.status?.currentStep?.reason === 'HealthTimedOut' && now - since < HEALTH_MS - SLACK_MS;
    if (!hasty) return;
    const says = `${keyOf(is)} is given up after ${(now - since) / 1000} s of bad health`;
    this.#parts.findings.add('no machine is given up before its time', says);
  }
}
