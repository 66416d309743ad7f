import { ANNOTATION_UNFREEZE, FROZEN, LABEL_FREEZE } from '../../schemas/keys.ts';
import { act, type freezeReasons, type Outcome, pass } from '../flow/flow.ts';
import type { KubeObject } from '../runtime/k8s/object.ts';

/** Why something is frozen, in the words of its condition `Frozen` (hack/spec/mcm.md 8.1; the last one is ours). */
export interface Freeze {
  reason: 'OverShootingReplicaCount' | 'MachineDeploymentStateSync' | 'FrozenByLabel';
  message: string;
}

/** What a freeze is shown by; `machinedeployment/actions.ts` of each kind knows how. */
export type FreezeAction =
  /** Writes the condition, or takes it off when nothing is frozen. */
  | { do: 'tellFreeze'; freeze: Freeze | undefined }
  /** Labels and annotations of the object itself; null takes one off. */
  | { do: 'markSelf'; metadata: Readonly<Record<'labels' | 'annotations', Readonly<Record<string, string | null>>>> };

/** Reasons of {@link followFreeze}. */
export type FreezeReason = keyof typeof freezeReasons | 'Freeze' | 'Unfreeze';

interface Condition {
  type: string;
  status: string;
  reason?: string | undefined;
  lastTransitionTime?: string | undefined;
}

/** The state of a freeze. The condition is what counts, and the label follows it; a label alone was put on by a user. */
export interface FreezeState {
  /** It carries the label. */
  marked: boolean;
  /** Its condition, if that says that it is frozen. */
  condition: Condition | undefined;
  /** We froze it, or MCM did: not just a user's label. */
  ours: boolean;
  /** An annotation requests its end. */
  asked: boolean;
}

/** The state of the freeze of an object with these conditions. */
export function freezeStateOf({ metadata }: KubeObject, conditions: readonly Condition[] = []): FreezeState {
  const condition = conditions.find(({ type, status }) => type === 'Frozen' && status === 'True');
  return {
    marked: metadata.labels?.[LABEL_FREEZE] === FROZEN,
    condition,
    ours: condition !== undefined && condition.reason !== 'FrozenByLabel',
    asked: metadata.annotations?.[ANNOTATION_UNFREEZE] !== undefined,
  };
}

/** Label or condition say that it is frozen. */
export const isFrozen = ({ marked, condition }: FreezeState): boolean => marked || condition !== undefined;

const BY_LABEL: Freeze = {
  reason: 'FrozenByLabel',
  message: `somebody put on the label ${LABEL_FREEZE}=${FROZEN}: taken off, it goes on`,
};

/**
 * Brings label and condition to what the cause asks for, one write at a time. The condition is written first and removed last, so that
 * after a crash our label is not taken for that of a user, which holds until it is removed, or somebody asks for the end of the freeze.
 */
export function followFreeze(state: FreezeState, cause: Freeze | undefined): Outcome<FreezeAction, FreezeReason> {
  const { marked, condition, ours, asked } = state;
  if (cause && !ours) return act('Freeze', { do: 'tellFreeze', freeze: cause }, cause.message);
  if (cause) return marked ? pass : act('AddFreezeLabel', label(FROZEN));
  if (marked && (ours || asked)) return act('RemoveFreezeLabel', label(null));
  if (marked && !condition) return act('Freeze', { do: 'tellFreeze', freeze: BY_LABEL }, BY_LABEL.message);
  if (condition && !marked) return act('Unfreeze', { do: 'tellFreeze', freeze: undefined });
  return asked ? act('RemoveUnfreezeAnnotation', mark({ annotations: { [ANNOTATION_UNFREEZE]: null } })) : pass;
}

/** Conditions with the freeze among them, or without; null when none is left, as a merge patch wants it. */
export function withFreeze<T extends Condition>(
  conditions: readonly T[] = [],
  freeze: Freeze | undefined,
  times: object,
): object[] | null {
  const others: object[] = conditions.filter(({ type }) => type !== 'Frozen');
  const all = freeze ? [...others, { type: 'Frozen', status: 'True', ...freeze, ...times }] : others;
  return all.length > 0 ? all : null;
}

const mark = (metadata: Partial<Extract<FreezeAction, { do: 'markSelf' }>['metadata']>): FreezeAction => ({
  do: 'markSelf',
  metadata: { labels: {}, annotations: {}, ...metadata },
});

const label = (value: string | null): FreezeAction => mark({ labels: { [LABEL_FREEZE]: value } });
