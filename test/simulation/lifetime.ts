import { type Clock, sleepOn } from '../../controller/runtime/clock.ts';

/**
 * A process as far as the outside is concerned: whatever comes in, a timer or an answer, comes through `deliver`. A dead
 * process gets nothing any more, a frozen one gets it all when it thaws.
 */
export class Lifetime {
  /** The process reaches no API server. */
  cut = false;
  /** The process's own clock. */
  readonly clock: Clock;
  #state: 'running' | 'frozen' | 'dead' = 'running';
  #parked: Array<() => void> = [];

  constructor(world: Clock) {
    const after = (ms: number, run: () => void) => {
      let cancelled = false;
      const cancel = world.after(ms, () => this.deliver(() => !cancelled && run()));
      return () => {
        cancelled = true;
        cancel();
      };
    };
    this.clock = { now: () => world.now(), after, sleep: (ms, signal) => sleepOn({ after }, ms, signal) };
  }

  get dead(): boolean {
    return this.#state === 'dead';
  }

  get frozen(): boolean {
    return this.#state === 'frozen';
  }

  /** Something reaches the process. */
  deliver(run: () => void): void {
    if (this.#state === 'running') run();
    else if (this.#state === 'frozen') this.#parked.push(run);
  }

  /** Nothing moves in the process until it thaws. */
  freeze(): void {
    if (this.#state === 'running') this.#state = 'frozen';
  }

  /** What has come meanwhile comes now, in order. */
  thaw(): void {
    if (this.#state !== 'frozen') return;
    this.#state = 'running';
    for (const run of this.#parked.splice(0)) this.deliver(run);
  }

  /** The process is no more. */
  end(): void {
    this.#state = 'dead';
    this.#parked = [];
  }
}
