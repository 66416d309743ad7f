import {
  ANNOTATION_PREFER_NO_SCHEDULE,
  ANNOTATION_SCALE_DOWN_DISABLED,
  ANNOTATION_SCALE_DOWN_DISABLED_BY_MCM,
} from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { act, type Outcome, pass } from '../../flow/flow.ts';
import { BY_HAND_MS, isWilling } from '../../flow/refusals.ts';
import { expiryOf } from '../../model/machine.ts';
import { lacking, type NodeChange } from '../../nodes/change.ts';
import { scaleDownDisabled } from '../../nodes/scaledowndisabled.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import type { Reason } from './reasons.ts';
import {
  availableOf,
  isEmpty,
  type MachineDeploymentAction,
  type MachineDeploymentView,
  type NodeMark,
  numbersOf,
  type SetFact,
} from './view.ts';

type Answer = Outcome<MachineDeploymentAction, Reason>;

/** A view with its sets told apart. */
export interface Rolling extends MachineDeploymentView {
  newSet: SetFact;
  oldSets: readonly SetFact[];
}

const TAINT = { key: ANNOTATION_PREFER_NO_SCHEDULE, value: 'True', effect: 'PreferNoSchedule' };

/**
 * While machines are rolled, pods prefer Nodes that stay, and an autoscaler leaves all of them alone (hack/spec/mcm.md 4.7). Mended:
 * Nodes that join later are prepared, too (as a rule with the claim, hack/decisions/0063), and an old set that becomes the new one gives its Nodes back at once. A
 * Recreate has no such time: it gives up all of its machines first.
 */
export function oldNodesTainted(view: Rolling): Answer {
  const { newSet, oldSets, deployment } = view;
  if (deployment.spec.strategy?.type === 'Recreate') return pass;
  const rolling = oldSets.filter(({ machines }) => machines.length > 0);
  const add = (node: Node): NodeChange => ({ taints: { add: [TAINT] }, ...scaleDownOff(view, node) });
  const remove = (node: Node): NodeChange => ({
    taints: { remove: [TAINT] },
    ...(rolling.length > 0 && scaleDownOff(view, node)),
  });
  const marks = [...changed(view, rolling, add), ...changed(view, [newSet], remove)];
  if (marks.length > 0) return act('TaintOldNodes', { do: 'markNodes', marks, mayFail: true });
  const unmarked = rolling.find(
    (fact) => !isMarked(fact) && hasNodes(view, fact) && isWilling(view, 'patchSet', fact.set),
  );
  if (unmarked) return mark(unmarked, 'True');
  return isMarked(newSet) ? mark(newSet, null) : pass;
}

/** Once all is rolled out, an autoscaler may have the Nodes again; those of preserved machines stay as they are. */
export function scaleDownEnabled(view: Rolling): Answer {
  if (!isComplete(view)) return pass;
  const release = ({ metadata }: Node, machine: Machine): NodeChange => {
    const ours = metadata.annotations?.[ANNOTATION_SCALE_DOWN_DISABLED_BY_MCM] !== undefined;
    if (!ours || expiryOf(machine) > view.now) return {};
    return {
      annotations: { [ANNOTATION_SCALE_DOWN_DISABLED]: null, [ANNOTATION_SCALE_DOWN_DISABLED_BY_MCM]: null },
    };
  };
  const marks = changed(view, [view.newSet], release);
  return marks.length > 0 ? act('EnableScaleDown', { do: 'markNodes', marks, mayFail: true }) : pass;
}

const scaleDownOff = ({ disablesScaleDown }: Rolling, node: Node): NodeChange =>
  disablesScaleDown ? scaleDownDisabled(node) : {};

/** The Node of a machine that stays; those of machines that leave are the drain's, and refused ones wait. */
function ownNodeOf({ nodes, refusedNodes }: Rolling, { metadata }: Machine): Node | undefined {
  const node = metadata.deletionTimestamp ? undefined : nodes?.get(metadata.uid ?? '');
  return node && refusedNodes.has(node.metadata.uid ?? '') ? undefined : node;
}

/** What the Nodes of these sets' machines lack; a Node whose change was refused a while ago lacks nothing. */
export const changed = (
  view: Rolling,
  sets: readonly SetFact[],
  wanted: (node: Node, machine: Machine) => NodeChange,
): NodeMark[] =>
  sets.flatMap(({ machines }) =>
    machines.flatMap((machine) => {
      const node = ownNodeOf(view, machine);
      const change = node && lacking(node, wanted(node, machine));
      return node && change ? [{ node, machine, change }] : [];
    }),
  );

/** Every machine is of the newest set, and available (hack/spec/mcm.md 4.9). */
export function isComplete({ deployment, newSet, oldSets, now }: Rolling): boolean {
  const { replicas } = numbersOf(deployment);
  const gone = oldSets.every(isEmpty);
  return gone && newSet.machines.length === replicas && availableOf(newSet, now) === replicas;
}

const hasNodes = (view: Rolling, { machines }: SetFact): boolean =>
  machines.some((machine) => ownNodeOf(view, machine) !== undefined);

const isMarked = ({ set }: SetFact): boolean => set.metadata.annotations?.[ANNOTATION_PREFER_NO_SCHEDULE] !== undefined;

const mark = ({ set }: SetFact, value: 'True' | null): Answer =>
  act('AnnotateMachineSet', {
    do: 'patchSet',
    set,
    patch: { metadata: { annotations: { [ANNOTATION_PREFER_NO_SCHEDULE]: value } } },
  });

/** So many Nodes are remembered, the latest ones: who runs a target may say that it has ever new ones (hack/decisions/0028 T62). */
const MOST = 10_000;

/** A longer UID no API server gives. */
const MOST_UID = 128;

/** Remembers Nodes whose change the API server refused: a rollout does not wait for them. */
export class RefusedNodes {
  /** Those that are over first. */
  readonly #retryAt = new Map<string, number>();

  /** @param now on the monotonic clock, here and below */
  add(uid: string, now: number): void {
    if (uid.length > MOST_UID) return;
    this.#retryAt.delete(uid);
    this.#retryAt.set(uid, now + BY_HAND_MS);
    for (const [first, retryAt] of this.#retryAt) {
      if (retryAt > now && this.#retryAt.size <= MOST) break;
      this.#retryAt.delete(first);
    }
  }

  /** Whether the Node is let alone at that moment; one with a UID that is none always is. */
  has(uid: string, now: number): boolean {
    if (uid.length > MOST_UID) return true;
    const retryAt = this.#retryAt.get(uid);
    if (retryAt !== undefined && retryAt <= now) this.#retryAt.delete(uid);
    return retryAt !== undefined && retryAt > now;
  }

  /** Milliseconds until one of these Nodes is tried again; Infinity when none was refused. */
  retryIn(uids: Iterable<string>, now: number): number {
    return Math.min(...[...uids].map((uid) => (this.#retryAt.get(uid) ?? Infinity) - now));
  }

  /** How many are remembered. */
  get size(): number {
    return this.#retryAt.size;
  }
}
