import type { MachineSet } from '../../schemas/machineset.ts';
import { type Decision, RECONCILED } from '../flow/flow.ts';
import { isWilling, SomeRefused } from '../flow/refusals.ts';
import { ApiError } from '../runtime/client/errors.ts';
import type { KubeObject } from '../runtime/k8s/object.ts';
import { unwanted } from './flow/flow.ts';
import type { ReplicaFailure } from './flow/status.ts';
import type { MachineSetAction, MachineSetView } from './flow/view.ts';

/** What is told of actions that fail. */
export const failureOf: Partial<Record<MachineSetAction['do'], 'FailedCreate' | 'FailedDelete'>> = {
  create: 'FailedCreate',
  delete: 'FailedDelete',
};

/** What was refused of machines, or of the set itself. */
export function refusedOf(
  set: MachineSet,
  action: MachineSetAction,
  error: unknown,
): SomeRefused<KubeObject>['failures'] {
  if (error instanceof SomeRefused) return error.failures;
  return error instanceof ApiError && !failureOf[action.do] ? [{ item: set, error }] : [];
}

/** Nothing is left to be made, or to be deleted that was refused; a set that does something else meanwhile goes on failing. */
export function isOver(
  { reason }: ReplicaFailure,
  view: MachineSetView,
  { step }: Decision<MachineSetAction>,
): boolean {
  if (reason === 'FailedCreate') return step === 'ScaledUp' || step === RECONCILED;
  return unwanted(view).every((machine) => isWilling(view, 'delete', machine));
}

/** That its machines may not be taken away, while an API server is away. */
export function heldOf({ held, outcome }: Decision<MachineSetAction>): ReplicaFailure | undefined {
  if (held === undefined || outcome.kind !== 'wait') return undefined;
  return { reason: 'TargetClusterUnreachable', message: outcome.message ?? '' };
}
