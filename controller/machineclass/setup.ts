import { FINALIZER, SECRET_FINALIZER } from '../../schemas/keys.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { defaults } from '../flow/priority.ts';
import { Journal } from '../framework/decisionlog.ts';
import { classKeyOf, isInline, rememberedSecrets, secretKeysOf } from '../model/class.ts';
import { secrets } from '../runtime/k8s/core.ts';
import { keyOf } from '../runtime/k8s/object.ts';
import { retryConflicts, runLoop } from '../runtime/queue/loop.ts';
import { Queue } from '../runtime/queue/queue.ts';
import type { Caches } from '../state/caches.ts';
import type { LoopParts } from '../state/deps.ts';
import { flowOfKey } from '../state/flows.ts';
import { type MachineClassParts, reconcileClass, reconcileSecret } from './controller.ts';
import { carries } from './flow.ts';

/** Few are looked at at a time: there are few, and each look counts machines. */
const WORKERS = 2;

/** How long a count waits for more machines to go, milliseconds: a herd that leaves is counted now and then, not for each. */
const GATHER_MS = 500;

/** Who waits to be counted. */
interface Holds {
  caches: Caches;
  classes: Queue;
  secrets: Queue;
}

/** Looks at a class or Secret whenever its uses may have changed, at all at the start, and at all again now and then. */
export async function runClasses(parts: LoopParts): Promise<void> {
  const { caches, clock, settings, signal } = parts;
  const holds: Holds = {
    caches,
    classes: new Queue({ clock, flowOf: flowOfKey }),
    secrets: new Queue({ clock, flowOf: flowOfKey }),
  };
  follow(holds);
  wakeAll(holds);
  const resync = async () => {
    while (!signal.aborted) {
      await clock.sleep(settings.minResyncPeriod, signal).catch(() => {});
      if (!signal.aborted) wakeAll(holds);
    }
  };
  void resync();
  const { api } = parts;
  const classParts: MachineClassParts = {
    ...parts,
    ...caches,
    classWrites: { api, resource: resources.machineClasses, cache: caches.classes },
    secretWrites: { api, resource: secrets, cache: caches.secrets },
    classJournal: new Journal({ ...parts, kind: 'machineClass' }),
    secretJournal: new Journal({ ...parts, kind: 'secret' }),
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
    wakeClass(holds, key, 0);
    for (const one of [before, after]) for (const secret of one ? secretKeysOf(one) : []) wakeSecret(holds, secret, 0);
  });
  caches.secrets.onChange(({ key }) => wakeSecret(holds, key, 0));
  caches.machines.onChange(({ before, after }) => {
    if (before && after && isSameUse(before, after)) return;
    if (before) wakeUsed(holds, before, GATHER_MS);
    if (after) wakeUsed(holds, after, 0);
  });
}

const isSameUse = (before: Machine, after: Machine): boolean =>
  classKeyOf(before) === classKeyOf(after) &&
  isInline(before) === isInline(after) &&
  Bun.deepEquals(rememberedSecrets(before), rememberedSecrets(after));

/** One more user of what is held already changes nothing: most machines of a herd wake nobody. */
function wakeUsed(holds: Holds, machine: Machine, after: number): void {
  const { caches } = holds;
  const key = classKeyOf(machine);
  const found = caches.classes.get(key);
  if (found && (after > 0 || !carries(found, FINALIZER))) wakeClass(holds, key, after);
  for (const secret of new Set([...(found ? secretKeysOf(found) : []), ...rememberedSecrets(machine)])) {
    const object = caches.secrets.get(secret);
    if (object && (after > 0 || !carries(object, SECRET_FINALIZER))) wakeSecret(holds, secret, after);
  }
}

function wakeAll(holds: Holds): void {
  const { caches } = holds;
  for (const one of caches.classes.list()) wakeClass(holds, keyOf(one), 0);
  for (const one of caches.secrets.list()) wakeSecret(holds, keyOf(one), 0);
}

const wakeClass = ({ classes }: Holds, key: string, after: number): void =>
  void classes.add(key, { priority: defaults.generic, after });

/** Most Secrets of a cluster are nobody's here. */
function wakeSecret({ caches, secrets: queue }: Holds, key: string, after: number): void {
  const object = caches.secrets.get(key);
  const concerned =
    object &&
    (carries(object, SECRET_FINALIZER) ||
      caches.classes.by('secret', key).length > 0 ||
      caches.machines.by('secret', key).length > 0);
  if (concerned) queue.add(key, { priority: defaults.generic, after });
}
