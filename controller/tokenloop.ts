import type { LoopParts } from './loops.ts';
import type { MachineLimits } from './machine/observe.ts';
import { byMachine, TOKEN_NAMESPACE, tokenSelector } from './machine/token.ts';
import { Tokens } from './machine/tokens.ts';
import { defaults } from './priority.ts';
import type { Api } from './runtime/api.ts';
import { Cache } from './runtime/cache.ts';
import { type Secret, secrets } from './runtime/core.ts';
import { runLoop } from './runtime/loop.ts';
import { keyOf } from './runtime/object.ts';
import { Queue } from './runtime/queue.ts';
import { runCache, type WatchParts } from './runtime/watch.ts';
import type { Process } from './start.ts';
import { oneTarget } from './targets.ts';

/** Few are looked at at a time: tokens never hurry. */
const WORKERS = 4;

/** Which tokens are read: those that this installation made, for Machines of a namespace or, if it is empty, of all. */
interface Whose {
  incarnation: string;
  namespace: string;
}

/**
 * The bootstrap tokens of a target cluster, followed from now on. Nobody waits for the first list: whoever may not read
 * them can serve all classes whose user data needs none.
 */
export function followTokens(
  api: Api,
  { incarnation, namespace }: Whose,
  { namespace: _, ...feed }: Omit<WatchParts<never>, 'resource' | 'api'>,
): Cache<Secret> {
  const cache = new Cache<Secret>({ log: feed.log, indexes: { machine: byMachine } });
  const labelSelector = tokenSelector(incarnation, namespace);
  void runCache({ ...feed, api, resource: secrets, cache, namespace: TOKEN_NAMESPACE, labelSelector });
  return cache;
}

/** The settings that a Machine may override. */
export const machineLimits = (settings: Process['settings']): MachineLimits => ({
  creationTimeoutMs: settings.machineCreationTimeout,
  healthTimeoutMs: settings.machineHealthTimeout,
  inPlaceTimeoutMs: settings.machineInplaceUpdateTimeout,
  preserveTimeoutMs: settings.machinePreserveTimeout,
  nodeConditions: settings.nodeConditions,
  drain: {
    timeoutMs: settings.machineDrainTimeout,
    detachMs: settings.machinePvDetachTimeout,
    reattachMs: settings.machinePvReattachTimeout,
    evictRetries: settings.machineMaxEvictRetries,
  },
  startupTaint: settings.startupTaint ?? undefined,
});

/** What makes and keeps the tokens of new Machines. */
export const makeTokens = ({ caches, settings, target, secureRandom, ...parts }: LoopParts): Tokens =>
  new Tokens({
    ...parts,
    ...caches,
    random: secureRandom,
    targets: oneTarget(target),
    limits: machineLimits(settings),
    extraGroups: settings.bootstrapTokenAuthExtraGroups,
  });

/** Looks at a token when it or its Machine changes, and at all of them at the start: none outlives its Machine. */
export async function runTokens(parts: LoopParts): Promise<void> {
  const { target, caches, clock } = parts;
  if (!target) return;
  const tokens = makeTokens(parts);
  const queue = new Queue({ clock });
  const wake = (found: readonly Secret[]) => {
    for (const token of found) queue.add(keyOf(token), { priority: defaults.generic });
  };
  wake(target.tokens.list());
  target.tokens.onChange(({ after }) => wake(after ? [after] : []));
  caches.machines.onChange(({ before, after }) =>
    wake(target.tokens.by('machine', (after ?? before)?.metadata.uid ?? '')),
  );
  await runLoop({
    ...parts,
    name: 'token',
    workers: WORKERS,
    queue,
    priorityOf: () => defaults.generic,
    reconcile: (key) => tokens.reconcile(target, key),
  });
}
