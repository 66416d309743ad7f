import { type Clock, timestamp } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Result } from '../runtime/loop.ts';
import { mergePatch } from '../runtime/mergepatch.ts';
import { mergeStatus } from '../writes.ts';
import { apply, type MachineDeploymentEffects } from './apply.ts';
import { type MachineDeploymentSources, observe } from './observe.ts';
import { plan } from './reconcile.ts';
import { deadlineIn, statusOf } from './status.ts';

/** All that the MachineDeployment controller reads and writes with. */
export interface MachineDeploymentParts extends MachineDeploymentSources, MachineDeploymentEffects {
  clock: Clock;
  log: Log;
}

/** One pass over a MachineDeployment: observe, plan, then act, or write the status when there is nothing to do. */
export async function reconcileMachineDeployment(parts: MachineDeploymentParts, key: string): Promise<Result> {
  const view = observe(parts, key);
  if (!view) return {};
  const { step, outcome } = plan(view);
  const reason = 'reason' in outcome ? outcome.reason : step;
  parts.log.debug('decided', { machineDeployment: key, step, outcome: outcome.kind, reason });
  if (outcome.kind === 'act') return { after: 0, visible: await apply(parts, view, outcome.action) };
  const status = statusOf(view, timestamp(view.now));
  const change = mergePatch(view.deployment.status ?? {}, status);
  const visible = change ? await mergeStatus(parts.deploymentWrites, view.deployment, change) : [];
  const after = Math.max(0, deadlineIn(view));
  return Number.isFinite(after) ? { after, visible } : { visible };
}
