import type { StepState } from '../../flow/flow.ts';
import { IN_PLACE_CONDITION } from '../../nodes/change.ts';
import { memberState } from '../flow/claim.ts';
import { classState, specState, supportState } from '../flow/classresolution.ts';
import { leaving, living } from '../flow/flow.ts';
import { updateState } from '../flow/hotupdate.ts';
import { initializedState } from '../flow/launch.ts';
import type { MachineView, NodeCondition } from '../flow/view.ts';
import { refusedState } from '../flow/writefailures.ts';

/**
 * The Node's conditions as MCM copies them, beside them one condition a step. Of a paused Machine they stay as last known:
 * that nobody looks makes nothing untrue.
 */
export function conditionsOf(view: MachineView, steps: StepState[], timestamp: string): NodeCondition[] {
  const before = view.machine.status?.conditions ?? [];
  const paused = steps.some(({ type, status }) => type === 'Unpaused' && status === 'False');
  const own = steps.map((state) => {
    const lastKnown = before.find(({ type }) => type === state.type);
    if (paused && state.status === 'Unknown' && lastKnown) return lastKnown;
    return stepCondition(lastKnown, refusedState(view, shown(view, state)), timestamp);
  });
  const names = new Set([...STEP_NAMES, ...own.map(({ type }) => type)]);
  const kept = before.filter(({ type }) => !names.has(type));
  // What a Node says under a step's name is the Node's alone: a condition stands here once.
  const fresh = view.node.at === 'present' ? view.node.conditions.filter(({ type }) => !names.has(type)) : kept;
  return [...(sameConditions(kept, fresh) ? kept : fresh), ...own];
}

/** A step that lets the flow go on although it is not satisfied says so itself. */
const shown = (view: MachineView, state: StepState): StepState =>
  state.status === 'True' ? (STATES[state.type]?.(view) ?? state) : state;

const STATES: Readonly<Record<string, (view: MachineView) => StepState | undefined>> = {
  SpecValid: specState,
  Classified: classState,
  FieldsSupported: supportState,
  Initialized: initializedState,
  HotUpdated: updateState,
  Synced: memberState,
};

/** Names that only steps use; a condition of a flow that no longer runs is dropped. */
const STEP_NAMES = [...Object.keys(living), ...Object.keys(leaving)];

function stepCondition(
  old: NodeCondition | undefined,
  { type, status, reason, message }: StepState,
  now: string,
): NodeCondition {
  const moved = old?.status !== status;
  const lastTransitionTime = moved ? now : old?.lastTransitionTime;
  return { type, status, reason, lastTransitionTime, ...(message && { message }) };
}

/** Conditions that say by their reason how things stand (MCM 6.1). */
const TELLING: ReadonlySet<string> = new Set([IN_PLACE_CONDITION, 'Preserved']);

/** Equal but for heart-beats: those are no news (MCM 6.1). */
function sameConditions(before: NodeCondition[], after: NodeCondition[]): boolean {
  if (before.length !== after.length) return false;
  const known = new Map(before.map((condition) => [condition.type, condition]));
  return after.every(({ type, status, reason }) => {
    const old = known.get(type);
    return old?.status === status && (!TELLING.has(type) || old.reason === reason);
  });
}
