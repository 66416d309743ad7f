import { expect } from 'bun:test';
import { Perils } from './endangered.ts';
import { Between, type Servers } from './serverproxies.ts';

/** How long a server may be away: so short that an outage is one soon, so long that a busy machine makes none of itself. */
export const LIMIT_MS = 8_000;
/** Health time-out of the ill machine, once it counts. */
const HEALTH_MS = 3_000;
/** How long is looked whether anything goes. */
const LOOK_MS = LIMIT_MS;

const FLAGS = [
  '--machine-safety-apiserver-statuscheck-period=1s',
  '--machine-safety-orphan-vms-period=1s',
  '--orphan-grace-period=0s',
];

/** Scenes at a time: each is a controller and a herd, and there may be few cores. */
const MOST = 4;
const turns: Array<() => void> = [];
let running = 0;

/** Resolves when it is the caller's turn. */
async function takeTurn(): Promise<void> {
  if (running < MOST) running += 1;
  else await new Promise<void>((resolve) => turns.push(resolve));
}

/** Hands the turn on. */
function endTurn(): void {
  const next = turns.shift();
  if (next) next();
  else running -= 1;
}

/** A herd of which much is about to go, and what stands between it and its controller. */
export class Scene implements AsyncDisposable {
  readonly between: Between;
  readonly perils: Perils;

  readonly #ends: AsyncDisposableStack;

  private constructor(between: Between, { perils, ends }: { perils: Perils; ends: AsyncDisposableStack }) {
    this.between = between;
    this.perils = perils;
    this.#ends = ends;
  }

  /** Nothing is wrong yet, and nothing due. Waits for its turn: there are few scenes at a time. */
  static async set(servers: Servers, limitMs = LIMIT_MS): Promise<Scene> {
    const limit = `--machine-safety-apiserver-statuscheck-timeout=${limitMs}ms`;
    await using ends = new AsyncDisposableStack();
    await takeTurn();
    ends.defer(endTurn);
    const between = await Between.of(servers, [...FLAGS, limit]);
    ends.defer(() => between.end());
    const perils = new Perils(between);
    await perils.prepare();
    return new Scene(between, { perils, ends: ends.move() });
  }

  /** Lets everything become due, and looks for a while: no VM is made or deleted, no Machine given up. */
  async expectStandstill(): Promise<void> {
    const { witness } = this.between;
    const mark = witness.mark;
    await this.perils.release(`${HEALTH_MS}ms`);
    await Bun.sleep(LOOK_MS);
    expect(witness.since(mark)).toEqual([]);
  }

  /** Once `mend` begins everything goes that is due, but the ill Machine not before its whole time-out has passed again. */
  async expectRecovery(mend: () => void | Promise<void>): Promise<void> {
    const back = Date.now();
    await mend();
    await this.perils.whenOver();
    expect(this.perils.givenUpAt() - back).toBeGreaterThanOrEqual(HEALTH_MS);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#ends.disposeAsync();
  }
}
