import {
  ANNOTATION_MACHINE,
  LABEL_INCARNATION,
  LABEL_MACHINE_NAMESPACE,
  LABEL_MACHINE_UID,
} from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { isPaused } from '../../model/readiness.ts';
import type { Target } from '../../model/target.ts';
import type { Secret } from '../../runtime/k8s/core.ts';
import { keyOf } from '../../runtime/k8s/object.ts';
import { TOKEN_NAMESPACE } from '../../targets/caches.ts';
import { hasJoined } from '../flow/predicates.ts';

/** Lengths of the two parts of a token, and what they are made of (Kubernetes, "Authenticating with Bootstrap Tokens"). */
export const TOKEN_FORM = { id: 6, secret: 16, alphabet: '0123456789abcdefghijklmnopqrstuvwxyz' } as const;

/** What a token is made from. */
export interface TokenParts {
  id: string;
  secret: string;
  /** RFC 3339. */
  expiration: string;
  extraGroups: readonly string[];
  /** Whether the target signs `cluster-info` with it, for those who find the target's API server by their token. */
  signing: boolean;
  incarnation: string;
}

/** What bounds the life of a Machine's token, milliseconds. */
export interface TokenLimits {
  /** The Machine's creation time-out: a VM that joins later comes too late. */
  creation: number;
  /** The longest time to the expiry of a token that is created or renewed now, whatever the Machine asks for. */
  most: number;
}

/** The Secret of a new token, with MCM's keys (hack/spec/mcm.md 6.13); its labels say whose it is. */
export function tokenSecret({ metadata }: Machine, parts: TokenParts): Secret {
  const namespace = metadata.namespace ?? '';
  const values = {
    description: `Bootstrap token of Machine ${namespace}/${metadata.name}`,
    'token-id': parts.id,
    'token-secret': parts.secret,
    expiration: parts.expiration,
    'usage-bootstrap-authentication': 'true',
    'usage-bootstrap-signing': `${parts.signing}`,
    'auth-extra-groups': parts.extraGroups.join(','),
  };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'bootstrap.kubernetes.io/token',
    metadata: {
      name: `bootstrap-token-${parts.id}`,
      namespace: TOKEN_NAMESPACE,
      labels: {
        [LABEL_INCARNATION]: parts.incarnation,
        [LABEL_MACHINE_UID]: metadata.uid ?? '',
        [LABEL_MACHINE_NAMESPACE]: namespace,
      },
      annotations: { [ANNOTATION_MACHINE]: `${namespace}/${metadata.name}` },
    },
    data: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, btoa(value)])),
  };
}

/** The change that makes a token live on. @param expiration RFC 3339 */
export const extended = (expiration: string): Pick<Secret, 'data'> => ({ data: { expiration: btoa(expiration) } });

/** The token in the form in which a machine shows it, `id.secret`. */
export const tokenText = (token: Secret): string => `${entryOf(token, 'token-id')}.${entryOf(token, 'token-secret')}`;

/** Everything that one decision about a token needs. Times are milliseconds. */
export interface TokenView {
  now: number;
  token: Secret;
  /** The Machine that the token is for; absent when it is gone. */
  machine?: Machine | undefined;
  /** From when its time to join counts, as it does for the Machine itself (machine/flow/outage.ts). */
  since: number;
  /** The Cluster that the Machine joins is paused. */
  isClusterPaused?: boolean;
  /** Whether a VM may come with it: the driver says that there is one, or is making one. */
  awaited: boolean;
  limits: TokenLimits;
}

/** What is to become of a token; one that is kept is looked at again after `ms`. */
export type TokenVerdict = { do: 'keep'; ms: number } | { do: 'delete' } | { do: 'extend'; expiresAt: number };

/** A token that is about to expire is checked after each such part of its life: has its VM joined? */
const LOOKS = 10;

/** When a token that is made or renewed now expires: it never lives longer than `most`, nor than its Machine may take. */
export const expiryOf = (now: number, { creation, most }: TokenLimits): number => now + Math.min(creation, most);

/** Whether half of a token's life is over, and its Machine may still join after the token expires. */
export function runsOut({ token, now, since, limits }: Pick<TokenView, 'token' | 'now' | 'since' | 'limits'>): boolean {
  const expiresAt = expiryIn(token);
  const deadline = since + limits.creation;
  return now < deadline && expiresAt < deadline && expiresAt - now <= lifeOf(limits) / 2;
}

/**
 * A token lives as long as its Machine may join, for `most` at a time (hack/decisions/0041). It is deleted when the Machine first becomes
 * Running, is deleted or is gone (hack/spec/mcm.md 6.13), and is renewed until the creation time-out, but only while a VM is expected to
 * join. It is deleted once it has expired, too: few clusters clean up by themselves.
 */
export function judgeToken(view: TokenView): TokenVerdict {
  const { machine } = view;
  if (!machine) return { do: 'delete' };
  if (isPaused(machine) || view.isClusterPaused) return { do: 'keep', ms: Infinity };
  return machine.metadata.deletionTimestamp || hasJoined({ machine }) ? { do: 'delete' } : judgeLife(view);
}

function judgeLife(view: TokenView): TokenVerdict {
  const { now, token, since, limits } = view;
  const deadline = since + limits.creation;
  const isDue = runsOut(view);
  if (isDue && view.awaited) return { do: 'extend', expiresAt: Math.min(expiryOf(now, limits), deadline) };
  const left = expiryIn(token) - now;
  if (left <= 0) return { do: 'delete' };
  if (isDue) return { do: 'keep', ms: Math.min(left, Math.ceil(lifeOf(limits) / LOOKS)) };
  const isLast = now >= deadline || expiryIn(token) >= deadline;
  return { do: 'keep', ms: isLast ? left : left - Math.floor(lifeOf(limits) / 2) };
}

const lifeOf = (limits: TokenLimits): number => expiryOf(0, limits);

const expiryIn = (token: Secret): number => Date.parse(entryOf(token, 'expiration')) || 0;

/** The token of a Machine that a new VM shall get, the same each time that it is asked for. */
export const firstOf = (tokens: readonly Secret[]): Secret | undefined =>
  [...tokens].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))[0];

/** Longer than any of these texts is, where an API server is one. */
const MOST_TEXT = 256;

/**
 * The part of a token Secret that is kept: what a target answers may be megabytes, which no cache limit counts (hack/decisions/0028 T60).
 * Texts that are too long are left out.
 */
export function slimToken({ metadata, data }: Secret): Secret {
  const { name, uid, resourceVersion } = metadata;
  return {
    metadata: {
      name: short(name) ?? '',
      namespace: TOKEN_NAMESPACE,
      uid: short(uid),
      resourceVersion: short(resourceVersion),
    },
    data: Object.fromEntries(['token-id', 'token-secret', 'expiration'].map((key) => [key, short(data?.[key]) ?? ''])),
  };
}

const short = (text: unknown): string | undefined =>
  typeof text === 'string' && text.length <= MOST_TEXT ? text : undefined;

const entryOf = ({ data }: Secret, key: string): string => atob(data?.[key] ?? '');

/**
 * The user data that a new VM gets: the class's, with what is the Machine's own in the place of marks (hack/spec/mcm.md 6.13). Values
 * consist of letters, digits, dots and dashes, so they are the same in a URL.
 */

/** The key of a class's secret under which the user data stands. */
const USER_DATA = 'userData';

/** What marks stand for. */
interface Personal {
  machineName: string;
  /** `id.secret` of a bootstrap token. */
  token?: string | undefined;
}

/** Whether the user data asks for a bootstrap token. Whatever has no user data asks for nothing: its driver decides. */
export const wantsToken = ({ [USER_DATA]: text = '' }: Readonly<Record<string, string>>): boolean =>
  formsOf('BOOTSTRAP_TOKEN').some((mark) => text.includes(mark));

/** The secret data with the Machine's own words in the user data; nothing else is touched. */
export function personalized(
  data: Readonly<Record<string, string>>,
  { machineName, token }: Personal,
): Record<string, string> {
  const text = data[USER_DATA];
  if (text === undefined) return { ...data };
  const named = replaced(text, 'MACHINE_NAME', machineName);
  return { ...data, [USER_DATA]: token === undefined ? named : replaced(named, 'BOOTSTRAP_TOKEN', token) };
}

/** As people write a mark, and as it looks in a URL. */
const formsOf = (mark: string): string[] => [`<<${mark}>>`, encodeURIComponent(`<<${mark}>>`)];

const replaced = (text: string, mark: string, value: string): string =>
  formsOf(mark).reduce((changed, form) => changed.replaceAll(form, () => value), text);

type TokenCache = Pick<Target['tokens'], 'whenSeen'>;

/**
 * Bootstrap tokens that were created and that the cache of their cluster does not show yet, which may take as long as an outage: meanwhile
 * no second one is created. By UID of the Machine. It ends with the process: a new process lists anew.
 */
export class UnseenTokens {
  readonly #made = new Map<string, { cache: TokenCache; token: Secret }>();
  /** Machines for which one was asked for without an answer. */
  readonly #unanswered = new Set<string>();

  /** That of the Machine, as the API server answered it; nothing else of its answer (see {@link slimToken}). */
  of({ tokens: cache }: { tokens: TokenCache }, { metadata: { uid = '' } }: Machine): Secret | undefined {
    const known = this.#made.get(uid);
    return known?.cache === cache ? known.token : undefined;
  }

  /** It was made. Answers when the cache shows what became of it, from when on that alone is believed. */
  made({ tokens: cache }: { tokens: TokenCache }, { metadata: { uid = '' } }: Machine, token: Secret): Promise<void> {
    const known = { cache, token: slimToken(token) };
    this.#made.set(uid, known);
    this.#unanswered.delete(uid);
    return cache.whenSeen(known.token).then(() => {
      if (this.#made.get(uid) === known) this.#made.delete(uid);
    });
  }

  /** The request for a token got no answer: it may have been created. */
  unanswered({ metadata: { uid = '' } }: Machine): void {
    this.#unanswered.add(uid);
  }

  /** Whether a token may exist that neither the cache nor this process has seen. */
  mayBe({ metadata: { uid = '' } }: Machine): boolean {
    return this.#unanswered.has(uid);
  }

  /** Drops what is remembered of a Machine. */
  forget(uid: string): void {
    this.#made.delete(uid);
    this.#unanswered.delete(uid);
  }
}
