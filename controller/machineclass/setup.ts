import { FINALIZER, SECRET_FINALIZER } from '../../schemas/keys.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { isOnlyKept } from '../../schemas/rules/machine.ts';
import { defaults } from '../flow/priority.ts';
import { DecisionLog } from '../framework/decisionlog.ts';
import { classKeyOf, isInline, recordedSecrets, secretKeysOf } from '../model/class.ts';
import { secrets } from '../runtime/k8s/core.ts';
import { hasFinalizer, keyOf } from '../runtime/k8s/object.ts';
import { GATHER_MS, resyncEvery, retryConflicts, runLoop } from '../runtime/queue/loop.ts';
import { Queue } from '../runtime/queue/queue.ts';
import type { Caches } from '../state/caches.ts';
import type { LoopParts } from '../state/deps.ts';
import { flowOfKey } from '../state/fairshares.ts';
import { type MachineClassParts, reconcileClass, reconcileSecret } from './controller.ts';

/** Few are looked at at a time: there are few, and each look counts machines. */
const WORKERS = 2;

/** Who waits to be counted. */
interface Holds {
  caches: Caches;
  classes: Queue;
  secrets: Queue;
}

/** Looks at a class or Secret whenever its uses may have changed, at all at the start, and at all again now and then. */
export async function runClasses(parts: LoopParts): Promise<void> {
  const { caches, clock, settings } = parts;
  const holds: Holds = {
    caches,
    classes: new Queue({ clock, flowOf: flowOfKey }),
    secrets: new Queue({ clock, flowOf: flowOfKey }),
  };
  follow(holds);
  enqueueAll(holds);
  void resyncEvery(settings.minResyncPeriod, parts, () => enqueueAll(holds));
  const { api } = parts;
  const classParts: MachineClassParts = {
    ...parts,
    ...caches,
    classWrites: { api, resource: resources.machineClasses, cache: caches.classes },
    secretWrites: { api, resource: secrets, cache: caches.secrets },
    classJournal: new DecisionLog({ ...parts, kind: 'machineClass' }),
    secretJournal: new DecisionLog({ ...parts, kind: 'secret' }),
  };
  const loop = { ...parts, workers: WORKERS, priorityOf: () => defaults.generic };
  const look = (reconcile: typeof reconcileClass) => (key: string) => reconcile(classParts, key).catch(retryConflicts);
  await Promise.all([
    runLoop({ ...loop, name: 'machineclass', queue: holds.classes, reconcile: look(reconcileClass) }),
    runLoop({ ...loop, name: 'secret', queue: holds.secrets, reconcile: look(reconcileSecret) }),
  ]);
}

/** Queues what a change may concern. Events only hurry: what they miss is counted at the next look at all. */
function follow(holds: Holds): void {
  const { caches } = holds;
  caches.classes.onChange(({ key, before, after }) => {
    enqueueClass(holds, key, 0);
    for (const one of [before, after])
      for (const secret of one ? secretKeysOf(one) : []) enqueueSecret(holds, secret, 0);
  });
  caches.secrets.onChange(({ key }) => enqueueSecret(holds, key, 0));
  caches.machines.onChange(({ before, after }) => {
    if (before && after && isSameUse(before, after)) return;
    // A herd that leaves is counted now and then, not for each.
    if (before) enqueueUsed(holds, before, GATHER_MS.counted);
    if (after) enqueueUsed(holds, after, 0);
  });
}

const isSameUse = (before: Machine, after: Machine): boolean =>
  classKeyOf(before) === classKeyOf(after) &&
  isInline(before) === isInline(after) &&
  isOnlyKept(before) === isOnlyKept(after) &&
  Bun.deepEquals(recordedSecrets(before), recordedSecrets(after));

/** One more user of what is held already changes nothing: most machines of a herd enqueue nothing. */
function enqueueUsed(holds: Holds, machine: Machine, after: number): void {
  const { caches } = holds;
  const key = classKeyOf(machine);
  const found = caches.classes.get(key);
  if (found && (after > 0 || !hasFinalizer(found, FINALIZER))) enqueueClass(holds, key, after);
  for (const secret of new Set([...(found ? secretKeysOf(found) : []), ...recordedSecrets(machine)])) {
    const object = caches.secrets.get(secret);
    if (object && (after > 0 || !hasFinalizer(object, SECRET_FINALIZER))) enqueueSecret(holds, secret, after);
  }
}

function enqueueAll(holds: Holds): void {
  const { caches } = holds;
  for (const one of caches.classes.list()) enqueueClass(holds, keyOf(one), 0);
  for (const one of caches.secrets.list()) enqueueSecret(holds, keyOf(one), 0);
}

const enqueueClass = ({ classes }: Holds, key: string, after: number): void =>
  void classes.add(key, { priority: defaults.generic, after });

/** Most Secrets of a cluster are nobody's here. */
function enqueueSecret({ caches, secrets: queue }: Holds, key: string, after: number): void {
  const object = caches.secrets.get(key);
  const concerned =
    object &&
    (hasFinalizer(object, SECRET_FINALIZER) ||
      caches.classes.by('secret', key).length > 0 ||
      caches.machines.by('secret', key).length > 0);
  if (concerned) queue.add(key, { priority: defaults.generic, after });
}
