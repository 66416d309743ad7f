import type { Stage } from './stage.ts';

/** Reasons for which nothing happens until a person says what is to go, and how long people wait for it, milliseconds. */
const CALLS: ReadonlySet<string> = new Set(['ZoneOutage', 'ClusterOutage']);
const PATIENCE_MS = 600_000;

/** A person who reads conditions once the faults are over: deletes machines that wait for one. */
export class Attendant {
  readonly #stage: Pick<Stage, 'user' | 'clock' | 'trace'>;
  /** Since when a machine waits, by UID. */
  #waiting = new Map<string, number>();

  constructor(stage: Pick<Stage, 'user' | 'clock' | 'trace'>) {
    this.#stage = stage;
  }

  /** Looks at all machines. */
  look(): void {
    const { user, clock, trace } = this.#stage;
    const calling = user.all('machines').filter(({ status }) => CALLS.has(status?.deciding?.reason ?? ''));
    const sinceOf = (uid: string) => this.#waiting.get(uid) ?? clock.now();
    this.#waiting = new Map(calling.map(({ metadata: { uid = '' } }) => [uid, sinceOf(uid)]));
    for (const { metadata } of calling) {
      if (clock.now() - sinceOf(metadata.uid ?? '') < PATIENCE_MS) continue;
      trace.note('user', 'gives a machine of an outage up', { machine: metadata.name });
      user.delete('machines', metadata.name);
    }
  }
}
