import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import { mergePatch } from '../../schemas/mergepatch.ts';
import type { Decision, Outcome } from '../flow/flow.ts';
import { eventOf, noteOf } from '../flow/reasons.ts';
import { type RefusedChildren, refusalOf, SomeRefused, type ToldRefusal, toldRefusal } from '../flow/refusals.ts';
import type { Repeats } from '../flow/repeats.ts';
import type { Journal } from '../framework/decisionlog.ts';
import { mergeStatus } from '../framework/writer.ts';
import { laneOf } from '../model/target.ts';
import { ApiError, isJudged } from '../runtime/client/errors.ts';
import { isRefusal } from '../runtime/client/streak.ts';
import { type Clock, timestamp } from '../runtime/clock.ts';
import type { Slots } from '../runtime/fairness/slots.ts';
import { type KubeObject, keyOf } from '../runtime/k8s/object.ts';
import type { Result } from '../runtime/queue/loop.ts';
import { apply, type MachineDeploymentEffects } from './actions.ts';
import { plan } from './flow/flow.ts';
import { deadlineIn } from './flow/progress.ts';
import { events, reasons } from './flow/reasons.ts';
import { newsOf, statusOf } from './flow/status.ts';
import type { MachineDeploymentAction, MachineDeploymentView } from './flow/view.ts';
import { type MachineDeploymentSources, observe } from './observe.ts';

/** All that the MachineDeployment controller reads and writes with. */
export interface MachineDeploymentParts extends MachineDeploymentSources, MachineDeploymentEffects {
  clock: Clock;
  journal: Journal;
  repeats: Repeats;
  /** What was refused of sets and machines. */
  refusals: RefusedChildren;
  /** Bounds how many workers wait for targets at a time (targets/lanes.ts). */
  lanes: Slots;
}

/** How soon a deployment looks again by itself for which that share was taken, milliseconds: it is called before. */
const LANE_MS = 30_000;

/** One pass over a MachineDeployment: observe, plan, then act, or write the status when there is nothing to do. */
export async function reconcileMachineDeployment(parts: MachineDeploymentParts, key: string): Promise<Result> {
  const view = observe(parts, key, refusedBefore(parts, key));
  if (!view) {
    parts.refusals.forget(key);
    parts.journal.forget(key);
    parts.lanes.leave(key);
    parts.repeats.end(key);
    return {};
  }
  const decision = plan(view);
  const { outcome } = decision;
  const changed = parts.journal.decided(key, decision);
  if (outcome.kind === 'act') return carryOut(parts, view, { ...decision, outcome });
  parts.lanes.leave(key);
  parts.repeats.end(key);
  const held = decision.held !== undefined && 'message' in outcome ? outcome.message : undefined;
  const status = statusOf({ ...view, ...(held !== undefined && { held }) }, timestamp(view.now));
  const visible = await writeStatus(parts, view, status);
  const news = visible.length > 0 ? newsOf(view.deployment.status, status) : [];
  for (const note of [...news, ...(changed ? noteOf(reasons, decision) : [])])
    parts.events.record(view.deployment, note);
  const after = Math.max(0, Math.min(waitMs(outcome), deadlineIn(view, status), retryIn(parts, view)));
  return Number.isFinite(after) ? { after, visible } : { visible };
}

type Act = Extract<Outcome<MachineDeploymentAction>, { kind: 'act' }>;

async function carryOut(
  parts: MachineDeploymentParts,
  view: MachineDeploymentView,
  decision: Decision<MachineDeploymentAction> & { outcome: Act },
): Promise<Result> {
  const { action } = decision.outcome;
  const leave = action.do === 'markNodes' ? parts.lanes.enter(laneOf(view.deployment)) : () => {};
  if (!leave) return { after: LANE_MS };
  const pauseMs = parts.repeats.waitMs(keyOf(view.deployment), action, parts.clock.monotonic());
  if (pauseMs > 0) {
    leave();
    return { after: pauseMs };
  }
  const visible = await apply(parts, view, action)
    .catch((error: unknown) => failed(parts, view, { action, error }))
    .finally(leave);
  for (const note of noteOf(reasons, decision)) parts.events.record(view.deployment, note);
  return { after: 0, visible };
}

/** Remembers and tells what was refused, and throws it. */
async function failed(
  parts: MachineDeploymentParts,
  view: MachineDeploymentView,
  { action, error }: { action: MachineDeploymentAction; error: unknown },
): Promise<never> {
  const { deployment: owner } = view;
  const failures = error instanceof SomeRefused ? error.failures : [{ item: owner, error }];
  const cause = error instanceof SomeRefused ? error.cause : error;
  // Of a set that is not made its maker tells; what no server answered is a mistake of ours.
  if (action.do === 'createSet' || !failures.some((failure) => failure.error instanceof ApiError)) throw cause;
  const { told } = remember(parts, action, { owner, failures });
  // What may be chance is let alone for a moment, and told if it goes on: the next pass does what else is to be done.
  if (!told) throw cause;
  parts.events.record(owner, eventOf(events, told.reason, told.message));
  // What it was refused for is what is thrown.
  const { refusal } = refusedBefore(parts, keyOf(owner));
  await writeStatus(parts, view, statusOf({ ...view, refusal }, timestamp(view.now))).catch(() => {});
  throw error;
}

/** Answers what people are to be told of this kind of action. */
function remember(
  { refusals, clock }: MachineDeploymentParts,
  action: MachineDeploymentAction,
  { owner, failures }: { owner: MachineDeployment; failures: SomeRefused<KubeObject>['failures'] },
): { told: ToldRefusal | undefined } {
  const now = clock.monotonic();
  refusals.dropOld(keyOf(owner), now);
  const reasons = failures.map(({ item, error }) => {
    const refused = refusalOf(action.do, item);
    const isTold = isRefusal(error, refusals.streakOf(keyOf(owner), refused, now), now);
    const told = isTold ? toldRefusal(action.do, { owner, item, error }) : undefined;
    refusals.add(keyOf(owner), refused, { isJudged: isJudged(error), told, now });
    return told?.reason;
  });
  return { told: refusals.toldAt(keyOf(owner), now).find(({ reason }) => reasons.includes(reason)) };
}

/** What was refused a moment ago, and what people are told of it. */
function refusedBefore({ refusals, clock }: MachineDeploymentParts, key: string) {
  const now = clock.monotonic();
  const [refusal] = refusals.toldAt(key, now);
  return { refused: refusals.at(key, now), refusal };
}

async function writeStatus(parts: MachineDeploymentParts, view: MachineDeploymentView, status: object) {
  const change = mergePatch(view.deployment.status ?? {}, status);
  const isAway = view.gate.shut?.away === 'control';
  return change && !isAway ? mergeStatus(parts.deploymentWrites, view.deployment, change) : [];
}

const waitMs = (outcome: Outcome<unknown>): number => (outcome.kind === 'wait' ? outcome.ms : Infinity);

const retryIn = ({ refusedNodes, refusals, clock }: MachineDeploymentParts, view: MachineDeploymentView): number =>
  Math.min(
    refusedNodes.retryIn(view.refusedNodes, clock.monotonic()),
    refusals.endsIn(keyOf(view.deployment), clock.monotonic()),
  );
