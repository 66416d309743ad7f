import type { KubeObject } from '../controller/runtime/object.ts';
import { isRecord, parsePath, valueAt } from './path.ts';
import { remembered } from './remembered.ts';

/** What may be done to a key. */
export type Touch = 'add' | 'change' | 'remove';

/** Keys of labels and annotations that not everybody who may write the object may touch (decisions 5). */
export interface ProtectedKey {
  id: string;
  /** How the reference writes the keys. */
  keys: string;
  covers(key: string): boolean;
  /** Where it counts, when not in both. */
  only?: 'labels' | 'annotations';
  /** What is guarded; on creation every key is added. */
  on: readonly Touch[];
  /** Who may: everybody whom RBAC allows this verb on machines.machine.sapcloud.io. */
  who: 'override';
  /** Why it is protected; goes on after "because it". */
  says: string;
}

const guarded = { on: ['add', 'change', 'remove'], who: 'override' } as const;

/** Who may write one of these could keep a machine, and what it costs, for ever; or take from others what they hold. */
const DELETE_CHECKS = ['delete.check.drover.dev/', 'delete.check.vmoperator.vmware.com/'];

/**
 * The first row that covers a key decides. Free on purpose: Cluster API's deletion hooks (`pre-drain.…`, `pre-terminate.…`),
 * which their owners set and lift with no more than the right to write Machines; the annotation
 * `cluster.x-k8s.io/paused`, for everybody may pause what is theirs (VMOP 3.3.2); MCM's `freeze` and
 * `safety.machine.sapcloud.io/unfreeze`, which its users set by hand.
 */
export const protectedKeys: readonly ProtectedKey[] = [
  {
    ...guarded,
    id: 'protected-priority',
    keys: 'protected.drover.dev/reconcile-priority',
    covers: (key) => key === 'protected.drover.dev/reconcile-priority',
    says: 'lets its machine jump the queue',
  },
  {
    ...guarded,
    id: 'protected-vm-operator-priority',
    keys: 'vmoperator.vmware.com.protected/reconcile-priority',
    covers: (key) => key === 'vmoperator.vmware.com.protected/reconcile-priority',
    says: 'lets its machine jump the queue',
  },
  {
    ...guarded,
    id: 'protected-delete-check',
    keys: DELETE_CHECKS.map((prefix) => `${prefix}*`).join(', '),
    covers: (key) => DELETE_CHECKS.some((prefix) => key.startsWith(prefix)),
    says: 'holds the deletion of its machine',
  },
  {
    ...guarded,
    id: 'protected-pause',
    keys: 'vmoperator.vmware.com/paused',
    only: 'labels',
    covers: (key) => key === 'vmoperator.vmware.com/paused',
    says: 'tells who holds the changes of its machine back',
  },
  {
    ...guarded,
    id: 'protected-own',
    keys: 'protected.drover.dev/*',
    covers: (key) => key.startsWith('protected.drover.dev/'),
    says: 'is kept for those who run Drover',
  },
  {
    ...guarded,
    id: 'protected-convention',
    keys: '*.protected/*',
    covers: (key) => /^[^/]+\.protected(\/|$)/.test(key),
    says: 'has “.protected” in its name',
  },
];

/** A protected key that a request touches. */
export interface Touched {
  row: ProtectedKey;
  /** The place of the key: `metadata.annotations[protected.drover.dev/reconcile-priority]`. */
  field: string;
  touch: Touch;
}

/** Finds every protected key that a request adds, changes or removes. */
export type FindTouched = (now: KubeObject, before: KubeObject | undefined) => Touched[];

/** Prepares the search in the metadata that a kind has; see Table.guarded. */
export function touchedIn(metadata: readonly string[]): FindTouched {
  const prepared = metadata.flatMap((place) =>
    (['annotations', 'labels'] as const).map((map) => ({
      map,
      path: parsePath(`${place}.${map}`),
      field: `${place}.${map}`,
    })),
  );
  return (now, before) =>
    prepared.flatMap(({ map, path, field }) =>
      touchedKeys(map, valueAt(now, path), valueAt(before, path)).map(({ key, ...touched }) => ({
        ...touched,
        field: `${field}[${key}]`,
      })),
    );
}

function touchedKeys(map: 'annotations' | 'labels', now: unknown, before: unknown) {
  const after = isRecord(now) ? now : {};
  const first = isRecord(before) ? before : {};
  const keys = new Set([...Object.keys(after), ...Object.keys(first)].filter(mayBeProtected));
  return [...keys].flatMap((key) => {
    const row = protectedKeys.find(({ covers, only = map }) => only === map && covers(key));
    const touch = touchOf(key, after, first);
    return row && touch && row.on.includes(touch) ? [{ row, key, touch }] : [];
  });
}

/** Nearly no key is protected; whether any row covers a key is remembered, for the same keys come with every object. */
const mayBeProtected = remembered((key: string) => protectedKeys.some(({ covers }) => covers(key)));

function touchOf(key: string, now: Record<string, unknown>, before: Record<string, unknown>): Touch | undefined {
  if (!Object.hasOwn(before, key)) return 'add';
  if (!Object.hasOwn(now, key)) return 'remove';
  return Bun.deepEquals(now[key], before[key]) ? undefined : 'change';
}
