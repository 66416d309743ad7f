import type { KubeObject } from '../runtime/k8s/object.ts';
import { withOthers } from './flow.ts';

/** How soon an action is retried that only a person can make succeed, milliseconds: specs, rights and admission rules change by hand. */
export const BY_HAND_MS = 600_000;

/** After an action on an object was refused, how long the object is left alone, milliseconds: rules and rights change by hand. */
const RETRY_MS = 60_000;
/**
 * The first pause after a failure that may be transient, milliseconds: the object had changed meanwhile, or no answer came. It doubles with
 * each further failure.
 */
const SOON_MS = 2_000;
/** If the retry was due longer ago than this, the action counts as a first try again, milliseconds. */
const RECENT_MS = 60_000;

/** How a refusal is reported, in events and conditions alike: each kind of action has its own reason. */
export interface ToldRefusal {
  reason: (typeof REASONS)[number];
  message: string;
}

const REASONS = ['FailedDelete', 'FailedUpdate'] as const;

/** What was said of an object. */
interface Refusal {
  /** The server has judged it: it would be refused again now. */
  isJudged: boolean;
  /** What is reported; absent for a failure that may be transient. */
  told?: ToldRefusal | undefined;
}

/** Actions that delete children; the last one those that no cache shows yet. */
const DELETIONS: ReadonlySet<string> = new Set(['delete', 'deleteSets', 'removeFinalizer']);

/** What people are told when an action of the owner's was refused of this object, which may be the owner itself. */
export const toldRefusal = (
  what: string,
  { owner, item, error }: { owner: KubeObject; item: KubeObject; error: unknown },
): ToldRefusal => ({
  reason: DELETIONS.has(what) && item !== owner ? 'FailedDelete' : 'FailedUpdate',
  message: error instanceof Error ? error.message : String(error),
});

/**
 * By what an action that was refused of a child is remembered. Who may not be changed may be deleted, or scaled, all the same.
 * @param what the action's name
 */
export const refusalOf = (what: string, { metadata }: KubeObject): string => `${what} ${metadata.uid}`;

/** No such action on this child was refused so recently that its retry is not due yet. */
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
    super(withOthers(why, failures.length - 1), { cause: first?.error });
    this.failures = failures;
  }
}

/**
 * Owners' children of which a change or the deletion was refused, as by a policy. The owner goes on with everything else
 * meanwhile: one of them must not keep the others from being made, changed or deleted.
 */
export class RefusedChildren {
  readonly #known = new RefusedActions<RefusedAction & { told?: ToldRefusal; streak: Streak }>();

  /** How often the action came to nothing in a row. @param action as `refusalOf` names it @param now on the monotonic clock, here and below */
  streakOf(owner: string, action: string, now: number): Streak {
    const known = this.#known.of(owner, action);
    return known && now - known.retryAt <= RECENT_MS ? known.streak : { count: 0, since: now };
  }

  /** Of what is over for long nothing is known any more; once before some are added. */
  dropOld(owner: string, now: number): void {
    this.#known.drop(owner, now - RECENT_MS);
  }

  /** Lets it alone for a while. */
  add(owner: string, action: string, { isJudged, told, now }: Refusal & { now: number }): void {
    const { count, since } = this.streakOf(owner, action, now);
    const retryAt = now + (isJudged ? RETRY_MS : Math.min(RETRY_MS, SOON_MS * 2 ** count));
    this.#known.add(owner, action, { retryAt, streak: { count: count + 1, since }, ...(told && { told }) });
  }

  /** What is let alone at that moment. */
  at(owner: string, now: number): ReadonlySet<string> {
    return new Set(this.#known.at(owner, now).keys());
  }

  /** What people are to be told of them, deletions first: by each reason of the first, and how many others there are. */
  toldAt(owner: string, now: number): ToldRefusal[] {
    const all = [...this.#known.at(owner, now).values()].flatMap(({ told }) => told ?? []);
    return REASONS.flatMap((reason) => {
      const [first, ...others] = all.filter((told) => told.reason === reason);
      return first ? [{ reason, message: withOthers(first.message, others.length) }] : [];
    });
  }

  /** Milliseconds until the next of them is tried again; Infinity when there is none. */
  endsIn(owner: string, now: number): number {
    return Math.min(...[...this.#known.at(owner, now).values()].map(({ retryAt }) => retryAt - now));
  }

  /** The owner is gone. */
  forget(owner: string): void {
    this.#known.forget(owner);
  }
}

/** How often something came to nothing without a success between, and since when on the monotonic clock. */
export interface Streak {
  count: number;
  since: number;
}

/** Something that was refused, and when it is tried again, in milliseconds of the monotonic clock. */
export interface RefusedAction {
  retryAt: number;
}

/**
 * What was refused of each owner's actions. It is let alone until its time; afterwards it is known on, for who asks how often
 * that was, until it succeeds or its owner has gone.
 */
export class RefusedActions<T extends RefusedAction> {
  readonly #byOwner = new Map<string, Map<string, T>>();

  /** @param action what tells it from others of the owner's */
  add(owner: string, action: string, refused: T): void {
    const known = this.#byOwner.get(owner) ?? new Map<string, T>();
    this.#byOwner.set(owner, known.set(action, refused));
  }

  /** What is known of an action, be it let alone or due again. */
  of(owner: string, action: string): T | undefined {
    return this.#byOwner.get(owner)?.get(action);
  }

  /** What is let alone at that moment, by action, in the order in which it was refused first. */
  at(owner: string, now: number): ReadonlyMap<string, T> {
    return new Map([...(this.#byOwner.get(owner) ?? [])].filter(([, { retryAt }]) => retryAt > now));
  }

  /** What is due again at that moment is known no longer. */
  drop(owner: string, now: number): void {
    const known = this.#byOwner.get(owner);
    for (const [action, { retryAt }] of known ?? []) if (retryAt <= now) known?.delete(action);
  }

  /** The action has succeeded. */
  overcome(owner: string, action: string): void {
    this.#byOwner.get(owner)?.delete(action);
  }

  /** The owner is gone. */
  forget(owner: string): void {
    this.#byOwner.delete(owner);
  }
}

/** How often the same may be done in a row before it counts as futile. */
const FREE = 5;
/** An action that comes so long after the last one starts a new series, milliseconds; longer than any pause between two tries. */
const VAIN_MS = 900_000;
/** The first and the longest pause before a futile action is repeated, milliseconds. */
const PAUSE_MS = { first: 1_000, most: 60_000 };

/** Arrays are told apart by their length and as many of their items. */
const ITEMS = 20;

interface Done {
  content: number | bigint;
  /** On the monotonic clock. */
  at: number;
}

/** What was done last, and how often in a row. */
type Series = Done & { times: number };

/**
 * Counts actions that are repeated with nothing else between them. Such an action does not reach its goal: what it writes is reverted, at
 * admission or later, or is not taken as it was meant. Without a growing pause it would keep a worker busy.
 */
export class Repeats {
  readonly #byOwner = new Map<string, Map<string, Series>>();

  /** Milliseconds until the action may be taken for this owner; one that may be taken now counts as taken. @param now on the monotonic clock */
  waitMs(owner: string, action: object, now: number): number {
    const done = { content: hashOf(action), at: now };
    const before = this.#lastOf(owner, ANY, done);
    const dueAt = before ? before.at + pauseMs(before.times) : now;
    if (dueAt <= now) this.#count(owner, ANY, done);
    return Math.max(0, dueAt - now);
  }

  /** Counts a write of a step's, which was answered with yes; answers whether it was made so often that it counts as not kept. */
  isTakenBack(owner: string, { write, content }: { write: string; content: object }, now: number): boolean {
    return this.#count(owner, write, { content: hashOf(content), at: now }) > FREE;
  }

  /** The owner is gone, or there was nothing to do for it: whatever is done next is done anew. */
  end(owner: string): void {
    this.#byOwner.delete(owner);
  }

  #lastOf(owner: string, what: string, { content, at }: Done): Series | undefined {
    const last = this.#byOwner.get(owner)?.get(what);
    return last?.content === content && at - last.at <= VAIN_MS ? last : undefined;
  }

  #count(owner: string, what: string, done: Done): number {
    const times = (this.#lastOf(owner, what, done)?.times ?? 0) + 1;
    const known = this.#byOwner.get(owner) ?? new Map<string, Series>();
    this.#byOwner.set(owner, known.set(what, { ...done, times }));
    return times;
  }
}

/** Of whom one action is taken at a time, whatever it is. */
const ANY = '';

const pauseMs = (times: number): number =>
  times < FREE ? 0 : Math.min(PAUSE_MS.first * 2 ** (times - FREE), PAUSE_MS.most);

/** What is to be done to which objects, whatever their version is, and whatever times are in it. */
const hashOf = (content: object): number | bigint => Bun.hash(JSON.stringify(content, bounded).replaceAll(TIMES, ''));

function bounded(_key: string, value: unknown): unknown {
  if (Array.isArray(value)) return [value.length, ...value.slice(0, ITEMS)];
  return isObject(value) ? value.metadata.name : value;
}

const TIMES = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

const isObject = (value: unknown): value is { metadata: { name: string } } =>
  typeof (value as { metadata?: { name?: unknown } } | null)?.metadata?.name === 'string';
