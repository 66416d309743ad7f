import { systemClock as clock } from '../../../controller/runtime/clock.ts';
import { FakeLog } from '../../../controller/runtime/observability/log.fake.ts';
import { systemRandom as random } from '../../../controller/runtime/random.ts';
import { Cache } from '../../../controller/runtime/watch/cache.ts';
import { runCache } from '../../../controller/runtime/watch/watch.ts';
import { resources } from '../../../schemas/kinds.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { Herd } from './herd.ts';

/** Something that happened to a herd, such as `VM gone: pool-x7k2p`. */
export type Sight = `${'VM made' | 'VM gone' | 'given up'}: ${string}`;

/** Sees in order what becomes of a herd's VMs and Machines, past whatever keeps others from it. */
export class Witness {
  readonly #seen: Array<{ sight: Sight; at: number }> = [];
  readonly #over = new AbortController();

  /** Follows the Machines; resolves as soon as nothing escapes it any more. */
  async follow({ api, namespace }: Herd): Promise<void> {
    const cache = new Cache<Machine>();
    cache.onChange(({ before, after }) => {
      if (after && isGivenUp(after) && !isGivenUp(before)) this.note(`given up: ${after.metadata.name}`);
    });
    const parts = { api, clock, random, log: new FakeLog(), signal: this.#over.signal };
    void runCache({ ...parts, resource: resources.machines, cache, namespace });
    await cache.whenSynced();
  }

  note(sight: Sight): void {
    this.#seen.push({ sight, at: Date.now() });
  }

  /** How much it has seen so far, to ask {@link since}. */
  get mark(): number {
    return this.#seen.length;
  }

  /** What happened since that mark. */
  since(mark: number): Sight[] {
    return this.#seen.slice(mark).map(({ sight }) => sight);
  }

  /** When it first saw that, milliseconds since the epoch: a moment after it happened. */
  when(sight: Sight): number | undefined {
    return this.#seen.find((seen) => seen.sight === sight)?.at;
  }

  end(): void {
    this.#over.abort();
  }
}

const isGivenUp = (machine: Machine | undefined): boolean => machine?.status?.currentStatus?.phase === 'Failed';
