import type { MachineSet } from '../../schemas/machineset.ts';
import type { ApiError } from '../runtime/client/errors.ts';
import type { Clock } from '../runtime/clock.ts';
import type { KubeObject } from '../runtime/k8s/object.ts';
import type { Cache } from '../runtime/watch/cache.ts';

/** How long an API server works at a request whose caller has gone, at the most: its `--request-timeout`, milliseconds. */
const LANDS_MS = 60_000;

interface BirthParts {
  machines: Pick<Cache<KubeObject>, 'get' | 'seen'>;
  clock: Pick<Clock, 'monotonic'>;
}

/** A Machine that was asked for. */
interface Birth {
  /** No answer has come yet, or it was not asked for yet. */
  open: boolean;
  /** Until then it may come without an answer, on the monotonic clock. */
  until: number;
  /** The latest request for it was answered with no. */
  refused?: boolean;
  /** Of the Machine that the API server answered with. */
  version?: string | undefined;
}

/**
 * Machines that sets asked for and that the cache does not show yet: they are there, or may come, though the API server
 * itself says that they are not. An admission webhook may be slow, and an answer may be lost on the way. Only this process knows.
 */
export class Births {
  readonly #parts: BirthParts;
  readonly #sets = new Map<string, Map<string, Birth>>();

  constructor(parts: BirthParts) {
    this.#parts = parts;
  }

  /** The set is about to make Machines of these names: they count until they are shown, or cannot come any more. */
  begin({ metadata: { uid = '' } }: MachineSet, names: readonly string[]): void {
    this.#tidy();
    const births = this.#sets.get(uid) ?? new Map<string, Birth>();
    this.#sets.set(uid, births);
    for (const name of names) births.set(name, { until: 0, ...births.get(name), open: true });
  }

  /** Makes one of them, and remembers what came of it. */
  async follow<T extends KubeObject>(set: MachineSet, name: string, create: () => Promise<T>): Promise<T> {
    const birth = this.#sets.get(set.metadata.uid ?? '')?.get(name) ?? { open: true, until: 0 };
    try {
      const made = await create();
      Object.assign(birth, { open: false, refused: false, until: 0, version: made.metadata.resourceVersion });
      return made;
    } catch (error) {
      birth.open = false;
      birth.refused = isNo(error);
      if ((error as Partial<ApiError>).mayHaveActed) birth.until = this.#parts.clock.monotonic() + LANDS_MS;
      throw error;
    }
  }

  /** The set makes none at present: what it has not asked for does not come. */
  end({ metadata: { uid = '' } }: MachineSet): void {
    for (const birth of this.#sets.get(uid)?.values() ?? []) birth.open = false;
  }

  /** It is to be asked for, or no answer has come yet. */
  isOpen({ metadata: { uid = '' } }: MachineSet, name: string): boolean {
    return this.#sets.get(uid)?.get(name)?.open ?? false;
  }

  /** Whether what was asked for last may be there, or come: it was neither left undone nor answered with no. */
  mayExist({ metadata: { uid = '' } }: MachineSet, name: string): boolean {
    const birth = this.#sets.get(uid)?.get(name);
    if (!birth || (!birth.open && !birth.refused)) return true;
    return birth.until > this.#parts.clock.monotonic() || birth.version !== undefined;
  }

  /** How many Machines of the set are there, or may come, beside those that the cache shows. */
  count({ metadata: { uid = '', namespace } }: MachineSet): number {
    const births = [...(this.#sets.get(uid) ?? [])];
    return births.filter(([name, birth]) => this.#isAhead(birth) && !this.#parts.machines.get(`${namespace}/${name}`))
      .length;
  }

  #isAhead({ open, until, version }: Birth): boolean {
    return (
      open || until > this.#parts.clock.monotonic() || (version !== undefined && !this.#parts.machines.seen(version))
    );
  }

  #tidy(): void {
    for (const [uid, births] of this.#sets) {
      for (const [name, birth] of births) if (!this.#isAhead(birth)) births.delete(name);
      if (births.size === 0) this.#sets.delete(uid);
    }
  }
}

/** The API server has judged the request, and made nothing. */
function isNo(error: unknown): boolean {
  const { status = 0, mayHaveActed = false } = error as Partial<ApiError>;
  return status >= 400 && !mayHaveActed;
}
