import type { KubeObject } from './runtime/object.ts';

/** How long an object is let alone of which something was refused, milliseconds: rules and rights change by hand. */
const RETRY_MS = 60_000;
/** The same of one that failed by chance: it changed meanwhile, or nobody answered. */
const SOON_MS = 2_000;

/** What was said of an object. */
export interface Refusal {
  /** It would be refused again now, for it did not fail by chance. */
  isJudged: boolean;
  /** What people are to be told of it. */
  message?: string;
}

/**
 * By what an action that was refused of a child is remembered. Who may not be changed may be deleted, or scaled, all the same.
 * @param what the action's name
 */
export const refusalOf = (what: string, { metadata }: KubeObject): string => `${what} ${metadata.uid}`;

/** Such an action was not refused of this child a moment ago. */
export const isWilling = (
  { refused = new Set() }: { refused?: ReadonlySet<string> },
  what: string,
  child: KubeObject,
): boolean => !refused.has(refusalOf(what, child));

/** Some of an owner's children could not be changed or deleted; what was to be done about the others is done. */
export class SomeRefused<T extends KubeObject> extends Error {
  readonly failures: ReadonlyArray<{ item: T; error: unknown }>;

  constructor(failures: ReadonlyArray<{ item: T; error: unknown }>) {
    const [first] = failures;
    const why = first?.error instanceof Error ? first.error.message : String(first?.error);
    const others = failures.length > 1 ? ` (and ${failures.length - 1} others)` : '';
    super(`${why}${others}`, { cause: first?.error });
    this.failures = failures;
  }
}

/**
 * An owner's children of which a change or the deletion was refused, as by a policy. The owner goes on with everything else
 * meanwhile: one of them must not keep the others from being made, changed or deleted.
 */
export class Refusals {
  readonly #byAction = new Map<string, { until: number; message?: string }>();

  /** @param action as `refusalOf` names it @param now on the monotonic clock, here and below */
  add(action: string, { isJudged, message }: Refusal, now: number): void {
    const until = now + (isJudged ? RETRY_MS : SOON_MS);
    this.#byAction.set(action, { until, ...(isJudged && message !== undefined && { message }) });
  }

  /** What is let alone at that moment. */
  at(now: number): ReadonlySet<string> {
    for (const [action, { until }] of this.#byAction) if (until <= now) this.#byAction.delete(action);
    return new Set(this.#byAction.keys());
  }

  /** What people are to be told of them: of the first, and how many others there are; undefined when that is nothing. */
  toldAt(now: number): string | undefined {
    const [first, ...others] = [...this.#byAction.values()].filter(({ until, message }) => until > now && message);
    return others.length > 0 ? `${first?.message} (and ${others.length} others)` : first?.message;
  }

  /** Milliseconds until the next of them is tried again; Infinity when there is none. */
  endsIn(now: number): number {
    return Math.min(...[...this.#byAction.values()].map(({ until }) => until - now));
  }
}
