import type { DriverMethod } from '../../drivers/sdk/driver.ts';
import { act, fail, type Outcome, wait } from '../../flow/flow.ts';
import { phaseOf } from '../../model/phases.ts';
import { joinsFrom } from './outage.ts';
import { isForced } from './predicates.ts';
import type { Reason } from './reasons.ts';
import type { CalledMethod, CallFailure, CallsFact, MachineAction, MachineView } from './view.ts';

/** How soon one who waits for a slot looks again by itself, milliseconds: it is called before. */
export const SLOT_RECHECK_MS = 30_000;

/** How long an answer about a healthy VM is good for, milliseconds. */
export const POLL_HEALTHY_MS = 600_000;

/** What a step of a Machine's life answers. */
export type Answer = Outcome<MachineAction, Reason>;

/** Starts a driver call, unless one is in flight, the last one of its method has just failed, or there is no slot for it. */
export function call(view: MachineView, reason: Reason, method: CalledMethod): Answer {
  const { inFlight, full } = view.calls;
  const failure = failing(view, method);
  const left = creationLeft(view);
  // A VM that is to be initialized once more is long past its creation.
  const deadline = view.machine.metadata.deletionTimestamp || left <= 0 ? Infinity : left;
  if (inFlight) return wait('DriverCallInProgress', deadline, `${inFlight.method} is in progress`);
  if (failure) {
    if (failure.permanent) return fail(failure.code, failure.message);
    return wait(failure.code, Math.min(failure.retryAt - view.now, deadline), failure.message);
  }
  if (full.includes(method))
    return wait(
      'WaitingForDriverSlot',
      Math.min(SLOT_RECHECK_MS, deadline),
      `as many calls of ${method} as allowed are in flight`,
    );
  return act(reason, { do: 'call', method });
}

/**
 * How long a create call may go on after its Machine was seen to be deleted before it is canceled, milliseconds: if it answers, it is known
 * whether there is a VM; if not, the deletion waits ten minutes for a VM that may still turn up (hack/decisions/0051 L120, L125).
 */
export const CREATION_GRACE_MS = 10_000;

/** Has a call in flight end, of a Machine that leaves; by force at once. */
export function endCall(
  { machine, calls, now }: MachineView,
  { method, since }: { method: DriverMethod; since: number },
): Answer {
  const from = Math.max(since, calls.leavingSince ?? since);
  const left = method === 'createMachine' && !isForced(machine) ? from + CREATION_GRACE_MS - now : 0;
  return left > 0
    ? wait('DriverCallInProgress', left, `${method} is in progress`)
    : act('CancelDriverCall', { do: 'cancelCall' });
}

/** What stands of calls of these methods that failed, the latest. */
export const failureOf = (
  { failure, earlier = [] }: CallsFact,
  methods: readonly DriverMethod[],
): CallFailure | undefined => [failure, ...earlier].find((one) => one && methods.includes(one.method));

/**
 * What stands of earlier calls of the method, the latest first: a VM that is to be made is asked about for the sake of that, and
 * no sooner.
 */
export function failuresBefore({ calls, machine }: MachineView, method: DriverMethod): CallFailure[] {
  const { failure, earlier = [] } = calls;
  const isForCreation = method === 'getMachineStatus' && !machine.metadata.deletionTimestamp;
  const methods: readonly string[] = isForCreation ? [method, 'createMachine'] : [method];
  return [failure, ...earlier].filter((one) => one !== undefined).filter((one) => methods.includes(one.method));
}

/** The failure after which it is too early for another call of the method. */
export const failing = (view: MachineView, method: CalledMethod): CallFailure | undefined =>
  failuresBefore(view, method).find(({ retryAt }) => retryAt > view.now);

/**
 * Milliseconds until creation counts as failed. A Machine that was given up has none left, also after an outage, or a step of the clock,
 * by which others begin anew: another may stand for it (hack/decisions/0051 L116).
 */
export const creationLeft = (view: MachineView): number =>
  phaseOf(view.machine) === 'Failed' ? 0 : joinsFrom(view) + view.limits.creation - view.now;

/** Times in sentences for people. */
export const seconds = (ms: number): string => `${Math.round(ms / 1000)}s`;
