import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import { mergePatch } from '../../schemas/same.ts';
import { type Decision, eventOf, type Note } from '../flow/flow.ts';
import {
  type RefusedChildren,
  type Repeats,
  refusalOf,
  SomeRefused,
  type ToldRefusal,
  toldRefusal,
} from '../flow/refusals.ts';
import type { DecisionLog } from '../framework/decisionlog.ts';
import { type Acting, type Kind, reconcile, requeue, waitOf } from '../framework/reconcile.ts';
import { mergeStatus } from '../framework/writer.ts';
import { laneOf } from '../model/target.ts';
import { ApiError, isJudged } from '../runtime/client/errors.ts';
import { isRefusal } from '../runtime/client/streak.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Slots } from '../runtime/fairness/slots.ts';
import { type KubeObject, keyOf, timestamp } from '../runtime/k8s/object.ts';
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
  decisionLog: DecisionLog;
  repeats: Repeats;
  /** What was refused of sets and machines. */
  refusals: RefusedChildren;
  /** Bounds how many workers wait for targets at a time (targets/pool.ts). */
  lanes: Slots;
}

/** How soon a deployment looks again by itself for which that share was taken, milliseconds: it is called before. */
const LANE_MS = 30_000;

/** One pass over a MachineDeployment: observe, plan, then act, or write the status when there is nothing to do. */
export const reconcileMachineDeployment = (parts: MachineDeploymentParts, key: string): Promise<Result> =>
  reconcile(deployments(parts), key);

type Decided = Decision<MachineDeploymentAction>;

/** How MachineDeployments are reconciled. */
const deployments = (parts: MachineDeploymentParts): Kind<MachineDeploymentView, Decided> => ({
  reasons,
  decisionLog: parts.decisionLog,
  observe: (key) => observe(parts, key, refusedBefore(parts, key)),
  forget(key) {
    parts.refusals.forget(key);
    parts.lanes.leave(key);
    parts.repeats.end(key);
  },
  objectKey: ({ deployment }) => keyOf(deployment),
  plan,
  act: (view, decision, notes) => carryOut(parts, view, { decision, notes }),
  rest: (view, decision, news) => tell(parts, view, { decision, news }),
});

async function tell(
  parts: MachineDeploymentParts,
  view: MachineDeploymentView,
  { decision, news }: { decision: Decided; news: readonly Note[] },
): Promise<Result> {
  const { deployment } = view;
  parts.lanes.leave(keyOf(deployment));
  parts.repeats.end(keyOf(deployment));
  const held = decision.held === undefined ? undefined : messageIn(decision);
  const status = statusOf({ ...view, ...(held !== undefined && { held }) }, timestamp(view.now));
  const expectations = await writeStatus(parts, view, status);
  const changes = expectations.length > 0 ? newsOf(deployment.status, status) : [];
  for (const note of [...changes, ...news]) parts.events.record(deployment, note);
  return requeue(expectations, waitOf(decision), deadlineIn(view, status), retryIn(parts, view));
}

const messageIn = ({ outcome }: Decided): string | undefined => ('message' in outcome ? outcome.message : undefined);

async function carryOut(
  parts: MachineDeploymentParts,
  view: MachineDeploymentView,
  { decision, notes }: { decision: Acting<Decided>; notes: readonly Note[] },
): Promise<Result> {
  const { action } = decision.outcome;
  const leave = action.do === 'markNodes' ? parts.lanes.enter(laneOf(view.deployment)) : () => {};
  if (!leave) return { after: LANE_MS };
  const pauseMs = parts.repeats.waitMs(keyOf(view.deployment), action, parts.clock.monotonic());
  if (pauseMs > 0) {
    leave();
    return { after: pauseMs };
  }
  const expectations = await apply(parts, view, action)
    .catch((error: unknown) => failed(parts, view, { action, error }))
    .finally(leave);
  for (const note of notes) parts.events.record(view.deployment, note);
  return { after: 0, expectations };
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

/** What has just been refused, and how that is reported. */
function refusedBefore({ refusals, clock }: MachineDeploymentParts, key: string) {
  const now = clock.monotonic();
  const [refusal] = refusals.toldAt(key, now);
  return { refused: refusals.at(key, now), refusal };
}

async function writeStatus(parts: MachineDeploymentParts, view: MachineDeploymentView, status: object) {
  const change = mergePatch(view.deployment.status ?? {}, status);
  const isControlUnreachable = view.gate.shut?.unreachable === 'control';
  return change && !isControlUnreachable ? mergeStatus(parts.deploymentWrites, view.deployment, change) : [];
}

const retryIn = ({ refusedNodes, refusals, clock }: MachineDeploymentParts, view: MachineDeploymentView): number =>
  Math.min(
    refusedNodes.retryIn(view.refusedNodes, clock.monotonic()),
    refusals.endsIn(keyOf(view.deployment), clock.monotonic()),
  );
