import type { Clock } from '../../controller/runtime/clock.ts';
import { clockOff, type Host, type Ticking } from './skew.ts';

/**
 * A process as far as the outside is concerned: whatever comes in, a timer or an answer, comes through `deliver`. A dead
 * process gets nothing any more, a frozen one gets it all when it thaws.
 */
export class Lifetime {
  /** Since when the process reaches no API server. */
  cutSince: number | undefined;
  /** Since when it runs without a break, by the true time. */
  awakeSince: number;
  /** The process's own clock: that of its host. */
  readonly clock: Clock;
  #state: 'running' | 'frozen' | 'dead' = 'running';
  #parked: Array<() => void> = [];

  readonly #world: Pick<Clock, 'now'>;

  constructor(world: Ticking, host: Host = { aheadMs: 0 }) {
    this.#world = world;
    this.awakeSince = world.now();
    const after = (ms: number, run: () => void) => {
      let cancelled = false;
      const cancel = world.after(ms, () => this.deliver(() => !cancelled && run()));
      return () => {
        cancelled = true;
        cancel();
      };
    };
    this.clock = clockOff({ now: () => world.now(), monotonic: () => world.monotonic(), after }, () => host.aheadMs);
  }

  get cut(): boolean {
    return this.cutSince !== undefined;
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
    this.awakeSince = this.#world.now();
    for (const run of this.#parked.splice(0)) this.deliver(run);
  }

  /** The process is no more. */
  end(): void {
    this.#state = 'dead';
    this.#parked = [];
  }
}
