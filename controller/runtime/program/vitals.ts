import type { Log } from '../observability/log.ts';

/** What is wrong with a part of the process, as a sentence; undefined while it lives. */
export type Sign = () => string | undefined;

/** Signs by which it is told whether a process is beyond help, so that only a new one can go on with its work. */
export class Vitals {
  readonly #log: Pick<Log, 'error'>;
  /** Each with what was wrong when it was last looked at. */
  readonly #signs = new Map<Sign, string | undefined>();

  constructor(log: Pick<Log, 'error'>) {
    this.#log = log;
  }

  /** Looks at this sign, too; call the answer when it tells nothing any more. */
  watch(sign: Sign): () => void {
    this.#signs.set(sign, undefined);
    return () => void this.#signs.delete(sign);
  }

  /** Everything that is wrong now; undefined while all is well. What has just gone wrong is logged. */
  wrong(): string | undefined {
    for (const [sign, before] of this.#signs) {
      const now = sign();
      this.#signs.set(sign, now);
      if (now !== undefined && before === undefined)
        this.#log.error('this process can do its work no more', { why: now });
    }
    const found = [...this.#signs.values()].filter((text) => text !== undefined);
    return found.length > 0 ? found.join('; ') : undefined;
  }
}
