import * as v from 'valibot';
import { count, countOrPercent, int32, int64, labelSelector, objectEntries } from './common.ts';
import { type CelRule, cel, defaulted, optional, required } from './field.ts';
import { age, conditionColumn, type Kind, machineGroup } from './kind.ts';
import { machineTemplate, specSuperset } from './machinespec.ts';
import { minReadySeconds, readySecondsEntries } from './readyseconds.ts';
import { deploymentConditions, machineSummaries } from './reported.ts';
import { supersetOf } from './superset.ts';

const limitEntries = {
  maxSurge: defaulted(
    countOrPercent,
    1,
    'How many machines, or what share, there may be above replicas; a share is rounded up.',
  ),
  maxUnavailable: defaulted(
    countOrPercent,
    0,
    'How many machines, or what share, may be missing meanwhile; a share is rounded down. With maxSurge 0, a 0 counts as 1.',
  ),
};

const notMoreThanAll: CelRule = {
  rule: "!string(self.maxUnavailable).endsWith('%') || string(self.maxUnavailable).matches('^0*(100|[0-9]{1,2})%$')",
  message: 'maxUnavailable cannot be more than 100%, which is all machines',
  fieldPath: '.maxUnavailable',
};

const rollingUpdate = v.pipe(v.object(limitEntries), cel(notMoreThanAll));

const inPlaceUpdate = v.pipe(
  v.object({
    ...limitEntries,
    orchestrationType: defaulted(
      v.picklist(['Auto', 'Manual']),
      'Auto',
      'Who picks the Nodes to update: Auto the controller, Manual a person through a label.',
    ),
  }),
  cel(notMoreThanAll),
);

const strategy = v.pipe(
  v.object({
    type: defaulted(
      v.picklist(['RollingUpdate', 'Recreate', 'InPlaceUpdate']),
      'RollingUpdate',
      'How machines of an old template give way: step by step, all at once, or updated where they are.',
    ),
    rollingUpdate: optional(rollingUpdate, 'Limits of a RollingUpdate.'),
    inPlaceUpdate: optional(inPlaceUpdate, 'Limits of an InPlaceUpdate.'),
  }),
  cel(
    {
      rule: "!has(self.rollingUpdate) || self.type == 'RollingUpdate'",
      message:
        'rollingUpdate goes with type RollingUpdate only: leave it out of a new object, and set it to null in one that has it',
    },
    {
      rule: "!has(self.inPlaceUpdate) || self.type == 'InPlaceUpdate'",
      message:
        'inPlaceUpdate goes with type InPlaceUpdate only: leave it out of a new object, and set it to null in one that has it',
    },
  ),
);

const machineName = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(253),
  v.regex(/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/),
  v.title('name of a Machine'),
);

/** How many machines may be named that go first. */
export const MOST_DELETE_MACHINES = 1000;

/** Ours, beside MCM's. A field that is added here is kept when clients of MCM's drop it. */
const droverEntries = {
  ...readySecondsEntries,
  deleteMachines: optional(
    v.pipe(v.array(machineName), v.maxLength(MOST_DELETE_MACHINES)),
    'Machines that go before all others, whatever the size is: written with a lower replicas in one request, exactly these go; with the same replicas they are replaced. The controller marks them and removes the list.',
  ),
};

const machineDeploymentSpec = v.object({
  replicas: optional(count, 'How many machines there shall be; absent on creation means 0.'),
  selector: optional(
    labelSelector,
    "Which machines are the deployment's; must match the template's labels, never empty.",
  ),
  template: required(
    machineTemplate,
    'What the machines are made from; a change of it starts a rollout, unless it needs no new machine.',
  ),
  strategy: defaulted(
    strategy,
    { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    'How a rollout goes on.',
  ),
  minReadySeconds,
  ...droverEntries,
  revisionHistoryLimit: optional(count, 'How many old MachineSets are kept to roll back to; absent means all.'),
  paused: optional(v.boolean(), 'True: the deployment is scaled, but not rolled out.'),
  rollbackTo: optional(
    v.object({ revision: optional(int64, 'Revision to go back to; 0 means the one before.') }),
    'Rolls back once; the controller removes it.',
  ),
  progressDeadlineSeconds: optional(
    count,
    'How long a rollout may stand still before it counts as failed; absent means for ever.',
  ),
  autoPreserveFailedMachineMax: optional(
    count,
    'How many Failed machines are kept for inspection instead of replaced.',
  ),
});

/** Ours, beside MCM's. A field that is added here is kept when clients of MCM's drop it. */
const droverStatusEntries = {
  labelSelector: optional(v.string(), 'The selector as text, for the subresource scale.'),
};

const machineDeploymentStatus = v.object({
  observedGeneration: optional(int64, 'Generation of the spec that this status is about.'),
  replicas: optional(
    int32,
    'How many machines there are, not counting those whose VM is gone and that only another controller’s finalizer keeps.',
  ),
  updatedReplicas: optional(int32, 'How many of them are of the newest template.'),
  readyReplicas: optional(int32, 'How many of them are ready.'),
  availableReplicas: optional(int32, 'How many of them are ready, for minReadySeconds where that is honoured.'),
  preservedFailedReplicas: optional(int32, 'How many Failed machines are preserved.'),
  unavailableReplicas: optional(int32, 'How many machines are missing for the deployment to be complete.'),
  collisionCount: optional(int32, 'How often the hash of a template was taken already.'),
  conditions: optional(
    deploymentConditions,
    'Conditions of the deployment: Available, Progressing, ReplicaFailure, Frozen, ReplacementPaused.',
  ),
  failedMachines: optional(machineSummaries, 'Machines that failed.'),
  ...droverStatusEntries,
});

/** A number of like machines that is rolled out when its template changes (hack/spec/mcm.md 1.4). */
export const machineDeployment = v.object({
  ...objectEntries,
  spec: required(machineDeploymentSpec, 'What the deployment shall be.'),
  status: optional(machineDeploymentStatus, 'What the controller says of the deployment.'),
});

/** A number of like machines that is rolled out when its template changes. */
export type MachineDeployment = v.InferOutput<typeof machineDeployment>;

/** The kind MachineDeployment: its names, columns and subresources (hack/spec/mcm.md 1). */
export const machineDeploymentKind: Kind = {
  group: machineGroup,
  kind: 'MachineDeployment',
  plural: 'machinedeployments',
  shortName: 'mcd',
  sentence:
    'A MachineDeployment keeps a number of like machines and replaces them step by step when their template changes.',
  schema: machineDeployment,
  status: true,
  scale: true,
  superset: [
    ...supersetOf('spec', droverEntries),
    ...specSuperset('spec.template.spec'),
    ...supersetOf('status', droverStatusEntries),
  ],
  columns: [
    { name: 'Ready', type: 'integer', jsonPath: '.status.readyReplicas' },
    { name: 'Desired', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'Up-to-date', type: 'integer', jsonPath: '.status.updatedReplicas' },
    { name: 'Available', type: 'integer', jsonPath: '.status.availableReplicas' },
    age,
    { name: 'Strategy', type: 'string', jsonPath: '.spec.strategy.type', wide: true },
    { ...conditionColumn('Frozen'), wide: true },
  ],
};
