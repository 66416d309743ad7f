import type { Clock } from '../../controller/runtime/clock.ts';
import { OpenShare } from '../../controller/runtime/fairness/openshare.ts';
import { tokenBucket } from '../../controller/runtime/fairness/rate.ts';
import type { Asker } from '../../controller/runtime/fairness/sharing.ts';

/** How long the API server may take, milliseconds: less than its own patience with a webhook, 5 s. */
const PATIENCE_MS = 3_000;

/** Questions per second and at once, beside all other requests: who makes many up has none of theirs answered sooner. */
const PACE = { qps: 200, burst: 400 };
const MOST_AT_ONCE = 32;

/** Puts a question to the API server in the asker's turn. Rejects with its error, and when there was no answer in time. */
export type Asking = <T>(asker: Asker, question: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/** For questions of one sort that reviews make the webhook ask: in turns, so many at once, and not for ever. */
export function createAsking(clock: Clock): Asking {
  const fair = { clock, levelOf: () => 0 };
  const limiter = tokenBucket({ ...fair, ...PACE });
  const places = new OpenShare({ ...fair, most: () => MOST_AT_ONCE });
  return async (asker, question) => {
    const patience = new AbortController();
    const { signal } = patience;
    let leave: (() => void) | undefined;
    const cancel = clock.after(PATIENCE_MS, () => patience.abort(new Error(`no answer within ${PATIENCE_MS} ms`)));
    try {
      // A place before a token: tokens that are saved up are then there for whoever comes next, not spent on a line.
      leave = await places.enter(signal, asker);
      await limiter.take(signal, asker);
      return await question(signal);
    } finally {
      leave?.();
      cancel();
    }
  };
}
