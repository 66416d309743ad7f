import { LABEL_MACHINE_NAMESPACE } from '../../../schemas/keys.ts';
import { defaults } from '../../flow/priority.ts';
import type { Secret } from '../../runtime/k8s/core.ts';
import { keyOf } from '../../runtime/k8s/object.ts';
import { runLoop } from '../../runtime/queue/loop.ts';
import { Queue } from '../../runtime/queue/queue.ts';
import type { LoopParts } from '../../state/deps.ts';
import type { Opened } from '../../targets/pool.ts';
import { machineLimits } from '../flow/limits.ts';
import { Tokens, type TokensOptions } from './tokens.ts';

/** Few are looked at at a time: tokens never hurry. */
const WORKERS = 4;

/** What makes and keeps the tokens of new Machines. */
export const makeTokens = (
  { caches, settings, secureRandom, ...parts }: LoopParts,
  known: Pick<TokensOptions, 'isAwaited' | 'bornAt'>,
): Tokens =>
  new Tokens({
    ...parts,
    ...caches,
    ...known,
    maxLifeMs: settings.bootstrapTokenMaxLife,
    signing: settings.bootstrapTokenSigning,
    random: secureRandom,
    limits: machineLimits(settings),
    extraGroups: settings.bootstrapTokenAuthExtraGroups,
  });

/** Looks after the tokens of each target, from when it is opened until it is no longer used. Never ends by itself. */
export async function runTokens(parts: LoopParts, tokens: Tokens): Promise<void> {
  const running = new Set<Promise<void>>();
  parts.targets.follow((opened) => {
    const loop = tokensOf(parts, tokens, opened).finally(() => running.delete(loop));
    running.add(loop);
  }, parts.signal);
  await ended(parts.signal);
  await Promise.all(running);
}

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
  );

/** Looks at a token when it or its Machine changes, a driver has spoken of its VM, or its Cluster is paused no longer, and at all of them at the start: none outlives its Machine. */
async function tokensOf(parts: LoopParts, tokens: Tokens, { cluster, target, signal }: Opened): Promise<void> {
  const { caches, clock } = parts;
  const queue = new Queue({
    clock,
    flowOf: (key) => [target.tokens.get(key)?.metadata.labels?.[LABEL_MACHINE_NAMESPACE] ?? ''],
  });
  const enqueue = (found: readonly Secret[]) => {
    for (const token of found) queue.add(keyOf(token), { priority: defaults.generic });
  };
  enqueue(target.tokens.list());
  target.tokens.onChange(({ after }) => enqueue(after ? [after] : []));
  const enqueueTokensOf = (uid: string) => enqueue(target.tokens.by('machine', uid));
  const changed = caches.machines.onChange(({ before, after }) =>
    enqueueTokensOf((after ?? before)?.metadata.uid ?? ''),
  );
  const due = tokens.onDue(enqueueTokensOf);
  const paused = caches.clusters.onChange(({ key, before, after }) => {
    if (key === cluster && before?.spec?.paused !== after?.spec?.paused) enqueue(target.tokens.list());
  });
  for (const stop of [changed, due, paused]) signal.addEventListener('abort', stop, { once: true });
  await runLoop({
    ...parts,
    name: cluster ? `token ${cluster}` : 'token',
    signal,
    workers: WORKERS,
    queue,
    priorityOf: () => defaults.generic,
    reconcile: (key) => tokens.reconcile(target, key),
  });
}
