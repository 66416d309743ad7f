import type { Machine } from '../../../schemas/machine.ts';
import type { Target } from '../../model/target.ts';
import type { Secret } from '../../runtime/k8s/core.ts';
import { slimToken } from './token.ts';

type TokenCache = Pick<Target['tokens'], 'whenSeen'>;

/**
 * Bootstrap tokens that were made and that the cache of their cluster does not show yet, which may take as long as an outage: beside
 * them none is made. By UID of the Machine; it dies with the process, and a new one has lists of its own.
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

  /** One was asked for, and nobody knows whether it was made. */
  unanswered({ metadata: { uid = '' } }: Machine): void {
    this.#unanswered.add(uid);
  }

  /** Whether one may be there that no cache shows, and that nobody knows. */
  mayBe({ metadata: { uid = '' } }: Machine): boolean {
    return this.#unanswered.has(uid);
  }

  /** Drops what is remembered of a Machine. */
  forget(uid: string): void {
    this.#made.delete(uid);
    this.#unanswered.delete(uid);
  }
}
