import { ANNOTATION_SCALED_BY_SCALER, CLUSTERAPI_GROUPS, LABEL_TEMPLATE_HASH } from '../../../schemas/keys.ts';
import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../../schemas/machineset.ts';
import { mergePatch } from '../../../schemas/mergepatch.ts';
import { revisionOf, rollbackTarget } from '../../../schemas/revisions.ts';
import { BOUND_KEYS } from '../../../schemas/rules/autoscaler.ts';
import { act, type Outcome, pass } from '../../flow/flow.ts';
import { eventOf } from '../../flow/reasons.ts';
import { events, type Reason } from './reasons.ts';
import { copiedAnnotations, newSetOf } from './revision.ts';
import { isSameStored } from './sametemplate.ts';
import type { MachineDeploymentAction, MachineDeploymentView } from './view.ts';

type Answer = Outcome<MachineDeploymentAction, Reason>;

/**
 * A rollback that was asked for is carried out or refused, once: whatever comes of it, the wish is taken off in the same
 * write (MCM 4.8). It comes before a set of the present template is made, so that none is made for nothing.
 */
export function rolledBack({ deployment, sets }: MachineDeploymentView): Answer {
  const { rollbackTo, paused } = deployment.spec;
  if (!rollbackTo || paused) return pass;
  const target = rollbackTarget(
    deployment,
    sets.map(({ set }) => set),
    isSameStored,
  );
  if (!target) return answer({}, 'DeploymentRollbackRevisionNotFound', 'Unable to find the revision to roll back to');
  const revision = revisionOf(target);
  if (target === newSetOf(deployment, sets)?.set)
    return answer({}, 'DeploymentRollbackTemplateUnchanged', `Revision ${revision} has the present template already`);
  return answer(changes(deployment, target), 'DeploymentRollback', `Rolled back to revision ${revision}`);
}

/** Template and annotations of the set, as they go to the deployment. */
function changes(deployment: MachineDeployment, set: MachineSet): { template?: object; annotations?: object } {
  const { template } = set.spec ?? {};
  const { [LABEL_TEMPLATE_HASH]: _, ...labels } = template?.metadata?.labels ?? {};
  const wanted = { ...template, metadata: { ...template?.metadata, labels } };
  return {
    template: mergePatch(deployment.spec.template, wanted) ?? {},
    annotations: Object.fromEntries(Object.entries(copiedAnnotations(set)).filter(([key]) => !isOfNow(key))),
  };
}

const BOUNDS: ReadonlySet<string> = new Set(BOUND_KEYS.flatMap(({ min, max }) => [min, max]));
const OPTIONS = CLUSTERAPI_GROUPS.map((group) => `${group}/autoscaling-options-`);

/** What an autoscaler is told, or tells: it is as it is now, whatever template machines are made from. */
const isOfNow = (key: string): boolean =>
  BOUNDS.has(key) || key === ANNOTATION_SCALED_BY_SCALER || OPTIONS.some((prefix) => key.startsWith(prefix));

function answer(
  { template, annotations }: { template?: object; annotations?: object },
  event: 'DeploymentRollback' | 'DeploymentRollbackRevisionNotFound' | 'DeploymentRollbackTemplateUnchanged',
  says: string,
): Answer {
  const patch = { metadata: { annotations: annotations ?? {} }, spec: { rollbackTo: null, template: template ?? {} } };
  return act('RollBack', { do: 'rollBack', patch, note: eventOf(events, event, says) });
}
