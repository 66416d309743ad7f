import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { isMeantBy, type KeyPattern } from '../../schemas/keypattern.ts';
import { ANNOTATION_PAUSED_ADMIN, DELETE_CHECKS, FINALIZER, LABEL_NODE } from '../../schemas/keys.ts';
import { KUBELET_LABELS, KUBERNETES_LABELS } from '../../schemas/rules/nodelabel.ts';
import { isObject } from '../../schemas/same.ts';
import { parsePath, valueAt } from './fieldpath.ts';
import { memoize } from './memoize.ts';

/** What may be done to a key. */
export type Touch = 'add' | 'change' | 'remove';

/** Keys of labels and annotations that not everybody who may write the object may touch (hack/decisions/0000 5). */
export interface ProtectedKey {
  id: string;
  keys: readonly KeyPattern[];
  /** Those among them that are free. */
  except?: readonly KeyPattern[];
  /** Where it counts, when not in both. */
  only?: 'labels' | 'annotations';
  /** It is about the Node: counts in nodeTemplates, where no other row does. */
  of?: 'nodes';
  /** What is guarded; on creation every key is added. */
  on: readonly Touch[];
  /** Who may: everybody whom RBAC allows this verb on machines.machine.sapcloud.io. */
  who: 'override';
  /** Why it is protected; goes on after "because it". */
  description: string;
}

const guarded = { on: ['add', 'change', 'remove'], who: 'override' } as const;

/**
 * The first row that covers a key decides. Free on purpose: Cluster API's deletion hooks (`pre-drain.…`, `pre-terminate.…`),
 * which their owners set and lift with no more than the right to write Machines; the annotation
 * `cluster.x-k8s.io/paused`, for everybody may pause what is theirs (hack/spec/vm-operator.md 3.3.2); MCM's `freeze` and
 * `safety.machine.sapcloud.io/unfreeze`, which its users set by hand.
 */
export const protectedKeys: readonly ProtectedKey[] = [
  {
    ...guarded,
    id: 'protected-priority',
    keys: ['protected.drover.dev/reconcile-priority'],
    description: 'lets its machine jump the queue',
  },
  {
    ...guarded,
    id: 'protected-vm-operator-priority',
    keys: ['vmoperator.vmware.com.protected/reconcile-priority'],
    description: 'lets its machine jump the queue',
  },
  {
    ...guarded,
    // Who may write one could keep a machine, and what it costs, for ever; or take from others what they hold.
    id: 'protected-delete-check',
    keys: ['delete.check.drover.dev/*', 'delete.check.vmoperator.vmware.com/*'],
    description: 'holds the deletion of its machine',
  },
  {
    ...guarded,
    id: 'protected-pause',
    keys: ['vmoperator.vmware.com/paused'],
    only: 'labels',
    description: 'tells who holds the changes of its machine back',
  },
  {
    ...guarded,
    id: 'protected-own',
    keys: ['protected.drover.dev/*'],
    description: 'is kept for those who run Drover',
  },
  {
    ...guarded,
    id: 'protected-convention',
    keys: ['*.protected/*'],
    description: 'has “.protected” in its name',
  },
  {
    ...guarded,
    id: 'protected-node-role',
    keys: ['node-role.kubernetes.io/*', 'kubernetes.io/role'],
    only: 'labels',
    of: 'nodes',
    description: 'tells what a Node is for, which no kubelet may say of its own',
  },
  {
    ...guarded,
    id: 'protected-node-restriction',
    keys: ['node-restriction.kubernetes.io/*', '*.node-restriction.kubernetes.io/*'],
    only: 'labels',
    of: 'nodes',
    description: 'keeps pods for Nodes that others vouch for, which no kubelet may say of its own',
  },
  {
    ...guarded,
    // Tools place pods by labels of their own under these names: kOps by `kops.k8s.io/instancegroup`.
    id: 'protected-node-kubernetes',
    keys: KUBERNETES_LABELS,
    except: KUBELET_LABELS,
    only: 'labels',
    of: 'nodes',
    description: 'is a label of Kubernetes and its projects that no kubelet may set on its own Node',
  },
];

/** The rows that count in the metadata of some place (Table.guarded): in that of a Node to be, or in that of an object. */
export const rowsIn = (place: string): readonly ProtectedKey[] =>
  place.endsWith('nodeTemplate.metadata') ? ofNodes : ofObjects;

const [ofNodes = [], ofObjects = []] = ['nodes', undefined].map((of) => protectedKeys.filter((row) => row.of === of));

/** A field that says what is whose. It may be set on creation, as who brings objects back does; later it takes the verb. */
export interface Claim {
  id: string;
  field: string;
  who: 'override';
  /** Goes on after "because it". */
  description: string;
}

/** Of Machines: by these two its Node and its VM are known (hack/spec/mcm.md 6.4). */
export const machineClaims: readonly Claim[] = [
  {
    id: 'claimed-node',
    field: `metadata.labels[${LABEL_NODE}]`,
    who: 'override',
    description: "tells which Node is the machine's, and the controller writes it",
  },
  {
    id: 'claimed-vm',
    field: 'spec.providerID',
    who: 'override',
    description: "tells which VM is the machine's, and the controller writes it",
  },
];

/** A finalizer that takes the verb to come off for as long as the stored object carries one of these annotations. */
export interface HeldFinalizer {
  id: string;
  finalizer: string;
  annotations: readonly KeyPattern[];
  who: 'override';
  /** Goes on after "because it". */
  description: string;
}

/**
 * Of Machines: without it nothing is held, whatever a protected annotation says, and the VM is swept as one without a Machine
 * (hack/decisions/0042, 0028 T81).
 */
export const heldFinalizer: HeldFinalizer = {
  id: 'held-finalizer',
  finalizer: FINALIZER,
  annotations: [...DELETE_CHECKS.map((prefix) => `${prefix}*`), ANNOTATION_PAUSED_ADMIN],
  who: 'override',
  description: `keeps the machine and its VM, which an annotation ${DELETE_CHECKS[0]}… or ${ANNOTATION_PAUSED_ADMIN} holds`,
};

/** A protected key, a claim, or a finalizer that is held, which a request touches. */
export interface Touched {
  row: Pick<ProtectedKey, 'id' | 'who' | 'description'>;
  /** The place of the key: `metadata.annotations[protected.drover.dev/reconcile-priority]`. */
  field: string;
  touch: Touch;
}

/** Finds every protected key and every claim that a request adds, changes or removes, and a finalizer that it removes while it is held. */
export type FindTouched = (now: KubeObject, before: KubeObject | undefined) => Touched[];

/** Prepares the search in the metadata, for the claims and for the finalizer that a kind has; see Table. */
export function touchedIn(
  metadata: readonly string[],
  { claims = [], held }: { claims?: readonly Claim[] | undefined; held?: HeldFinalizer | undefined } = {},
): FindTouched {
  const prepared = metadata.flatMap((place) =>
    (['annotations', 'labels'] as const).map((map) => ({
      find: finderOf(map, rowsIn(place)),
      path: parsePath(`${place}.${map}`),
      field: `${place}.${map}`,
    })),
  );
  const findClaims = touchedClaims(claims);
  return (now, before) => [
    ...prepared.flatMap(({ find, path, field }) =>
      find(valueAt(now, path), valueAt(before, path)).map(({ key, ...touched }) => ({
        ...touched,
        field: `${field}[${key}]`,
      })),
    ),
    ...findClaims(now, before),
    ...(held && before ? letGo(held, now, before) : []),
  ];
}

const FINALIZERS = 'metadata.finalizers';

function letGo(row: HeldFinalizer, now: KubeObject, { metadata }: KubeObject): Touched[] {
  const isDropped = keeps(metadata.finalizers, row) && !keeps(now.metadata.finalizers, row);
  const isHeld = Object.keys(metadata.annotations ?? {}).some((key) => isMeantBy({ keys: row.annotations }, key));
  return isDropped && isHeld ? [{ row, field: FINALIZERS, touch: 'remove' }] : [];
}

/** The API server sees to it that they are a list; whoever else asks may send anything. */
const keeps = (finalizers: unknown, { finalizer }: HeldFinalizer): boolean =>
  Array.isArray(finalizers) && finalizers.includes(finalizer);

/** An empty claim claims nothing. */
function touchedClaims(claims: readonly Claim[]): FindTouched {
  const prepared = claims.map((row) => ({ row, path: parsePath(row.field) }));
  return (now, before) =>
    prepared.flatMap(({ row, path }) => {
      const [value, old] = [now, before].map((object) => valueAt(object, path) || undefined);
      if (!before || Bun.deepEquals(value, old)) return [];
      const touch: Touch = old === undefined ? 'add' : value === undefined ? 'remove' : 'change';
      return [{ row, field: row.field, touch }];
    });
}

/** Nearly no key is protected; whether any row covers a key is remembered, for the same keys come with every object. */
function finderOf(map: 'annotations' | 'labels', rows: readonly ProtectedKey[]) {
  const counting = rows.filter(({ only = map }) => only === map);
  const mayBeProtected = memoize((key) => counting.some((row) => isMeantBy(row, key)));
  return (now: unknown, before: unknown) => {
    const after = isObject(now) ? now : {};
    const first = isObject(before) ? before : {};
    const keys = new Set([...Object.keys(after), ...Object.keys(first)].filter(mayBeProtected));
    return [...keys].flatMap((key) => {
      const row = counting.find((one) => isMeantBy(one, key));
      const touch = touchOf(key, after, first);
      return row && touch && row.on.includes(touch) ? [{ row, key, touch }] : [];
    });
  };
}

function touchOf(key: string, now: Record<string, unknown>, before: Record<string, unknown>): Touch | undefined {
  if (!Object.hasOwn(before, key)) return 'add';
  if (!Object.hasOwn(now, key)) return 'remove';
  return Bun.deepEquals(now[key], before[key]) ? undefined : 'change';
}
