import {
  ANNOTATION_CAPACITY_APPLIED,
  ANNOTATION_CLUSTERAPI_REVISION,
  ANNOTATION_DESIRED,
  ANNOTATION_LAST_APPLIED,
  ANNOTATION_MAX,
  ANNOTATION_PREFER_NO_SCHEDULE,
  ANNOTATION_REVISION,
  ANNOTATION_REVISION_HISTORY,
  ANNOTATION_SCALED_BY_SCALER,
  ANNOTATION_TRIGGER_DELETION,
  ANNOTATION_UNFREEZE,
  CAPACITY_PREFIX,
  CLUSTERAPI_GROUPS,
  FINALIZER,
  LABEL_TEMPLATE_HASH,
} from '../../../schemas/keys.ts';
import { apiVersion } from '../../../schemas/kinds.ts';
import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../../schemas/machineset.ts';
import { revisionOf, rollbackTarget, setOfTemplate } from '../../../schemas/revisions.ts';
import { BOUND_KEYS } from '../../../schemas/rules/autoscaler.ts';
import { mergePatch } from '../../../schemas/same.ts';
import { identityOf, isSameTemplate, type Template } from '../../../schemas/templateidentity.ts';
import { act, eventOf, type Outcome, pass } from '../../flow/flow.ts';
import { clusterLabels, deploymentLabels, revisionMarks } from '../../model/autoscaler.ts';
import { ownedBy } from '../../model/ownership.ts';
import { canonical, digestOf, fnv32a, liveFields, safeEncode, settingsOf } from '../../model/template.ts';
import { events, type Reason } from './reasons.ts';
import {
  type MachineDeploymentAction,
  type MachineDeploymentView,
  type Numbers,
  type SetFact,
  sizeAnnotations,
} from './view.ts';

/** Annotations of a deployment that its sets do not get (hack/spec/mcm.md 2.2). */
const NOT_COPIED: ReadonlySet<string> = new Set([
  ANNOTATION_LAST_APPLIED,
  ANNOTATION_REVISION,
  ANNOTATION_CLUSTERAPI_REVISION,
  ANNOTATION_REVISION_HISTORY,
  ANNOTATION_DESIRED,
  ANNOTATION_MAX,
  ANNOTATION_PREFER_NO_SCHEDULE,
  ANNOTATION_UNFREEZE,
  ANNOTATION_TRIGGER_DELETION,
  ANNOTATION_CAPACITY_APPLIED,
]);

/** The set that was made from the deployment's template: the oldest one, if there are several (hack/spec/mcm.md 4.4). */
export function newSetOf({ spec }: MachineDeployment, sets: readonly SetFact[]): SetFact | undefined {
  const found = setOfTemplate(
    spec.template,
    sets.map(({ set }) => set),
    isSameStored,
  );
  return sets.find(({ set }) => set === found);
}

/** Decimal FNV-1a of the template; `collisions` makes it another one after a name was taken. */
export const templateHash = (template: Template, collisions: number | undefined): string =>
  String(fnv32a(`${canonical(identityOf(template))}${collisions ?? ''}`));

/** The set to make for the deployment's present template (hack/spec/mcm.md 4.4). */
export function newSet(
  deployment: MachineDeployment,
  sets: readonly SetFact[],
  size: Numbers & { initial: number },
): MachineSet {
  const { metadata, spec, status } = deployment;
  const hash = templateHash(spec.template, status?.collisionCount);
  const labels = { ...spec.template.metadata?.labels, [LABEL_TEMPLATE_HASH]: hash };
  const annotations = {
    ...copiedAnnotations(deployment),
    ...sizeAnnotations(size),
    ...revisionMarks(lastRevision(sets) + 1),
  };
  return {
    apiVersion,
    kind: 'MachineSet',
    metadata: {
      name: `${metadata.name}-${safeEncode(hash.slice(0, 5))}`,
      namespace: metadata.namespace,
      labels: { ...labels, ...deploymentLabels(metadata.name), ...clusterLabels(labels) },
      annotations,
      finalizers: [FINALIZER],
      ownerReferences: [ownedBy(deployment, 'MachineDeployment')],
    },
    spec: {
      replicas: size.initial,
      selector: { ...spec.selector, matchLabels: { ...spec.selector?.matchLabels, [LABEL_TEMPLATE_HASH]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
      ...followed(spec),
    },
  } as MachineSet;
}

/** The merge patch that brings the new set to what of the deployment changes in place; undefined when none is needed. */
export function syncPatch(
  deployment: MachineDeployment,
  fact: SetFact,
  oldSets: readonly SetFact[],
): object | undefined {
  const { metadata, spec } = fact.set;
  const annotations = {
    ...metadata.annotations,
    ...copiedAnnotations(deployment),
    ...revisionAnnotations(fact, oldSets),
  };
  const labels = {
    ...metadata.labels,
    ...deploymentLabels(deployment.metadata.name),
    ...clusterLabels(spec?.template?.metadata?.labels),
  };
  return mergePatch(
    { metadata: { labels: metadata.labels, annotations: metadata.annotations }, spec: pickSpec(spec) },
    {
      metadata: { labels, annotations },
      spec: pickSpec(deployment.spec),
    },
  );
}

/** Sets that say something else of settings than the deployment, each with the merge patch that ends that (hack/decisions/0052). */
export function settingsPatches({ spec }: MachineDeployment, sets: readonly SetFact[]) {
  const wanted = settingsOf(spec.template?.spec);
  return sets.flatMap(({ set }) => {
    const change = mergePatch(settingsOf(set.spec?.template?.spec), wanted);
    return change && !set.metadata.deletionTimestamp ? [{ set, patch: { spec: { template: { spec: change } } } }] : [];
  });
}

/** What of a template its newest set alone follows. Of an inline providerSpec only hot fields can differ here. */
function liveOf(template: Template | undefined): object {
  const { class: named, providerSpec } = template?.spec ?? {};
  return { ...liveFields(template?.spec), class: named, providerSpec };
}

const pickSpec = (spec: MachineSet['spec'] | MachineDeployment['spec']): object => ({
  template: { spec: liveOf(spec?.template) },
  ...followed(spec),
});

/** What its newest set has as the deployment has it. */
function followed(spec: MachineSet['spec'] | MachineDeployment['spec']) {
  const { minReadySeconds, minReadySecondsPolicy, autoPreserveFailedMachineMax } = spec ?? {};
  return { minReadySeconds, minReadySecondsPolicy, autoPreserveFailedMachineMax };
}

/** The new set has the highest revision; when it takes a higher one, the one before goes into its history. */
function revisionAnnotations(fact: SetFact, oldSets: readonly SetFact[]): Record<string, string> {
  const current = revisionOf(fact.set);
  const least = lastRevision(oldSets) + 1;
  if (current !== undefined && current >= least) return revisionMarks(current);
  const revision = revisionMarks(least);
  if (current === undefined) return revision;
  const history = fact.set.metadata.annotations?.[ANNOTATION_REVISION_HISTORY];
  return { ...revision, [ANNOTATION_REVISION_HISTORY]: [history, current].filter(Boolean).join(',') };
}

const lastRevision = (sets: readonly SetFact[]): number => Math.max(0, ...sets.map(({ set }) => revisionOf(set) ?? 0));

/** Annotations that a deployment and its sets share; what tells of the present class is no matter of a revision. */
export const copiedAnnotations = ({ metadata }: MachineDeployment | MachineSet): Record<string, string> =>
  Object.fromEntries(
    Object.entries(metadata.annotations ?? {}).filter(
      ([key]) => !NOT_COPIED.has(key) && !key.startsWith(CAPACITY_PREFIX),
    ),
  );

type Answer = Outcome<MachineDeploymentAction, Reason>;

/**
 * A rollback that was asked for is carried out or refused, once: whatever comes of it, the wish is taken off in the same
 * write (hack/spec/mcm.md 4.8). It comes before a set of the present template is made, so that none is made for nothing.
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
  return act('Rollback', { do: 'rollBack', patch, note: eventOf(events, event, says) });
}

/**
 * Whether two templates are the same, each gone through once for as long as it is there: a template may have some ten thousand annotations, and a
 * look compares those of all sets several times. What is stored is never changed in its place, and a patch brings one new template.
 */
export function judgedOnce(): typeof isSameTemplate {
  const known = new WeakMap<object, string>();
  const digest = (template: NonNullable<Template>) =>
    known.getOrInsertComputed(template, () => digestOf(identityOf(template)));
  return (one: Template | undefined, other: Template | undefined) =>
    one && other ? digest(one) === digest(other) : isSameTemplate(one, other);
}

/** The same for all that is stored. */
export const isSameStored = judgedOnce();
