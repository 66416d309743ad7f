import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasons as clusterReasons, steps as clusterSteps } from '../../controller/cluster/flow.ts';
import { RECONCILED } from '../../controller/flow/flow.ts';
import { reasons as machineReasons } from '../../controller/machine/flow/reasons.ts';
import { steps as machineSteps } from '../../controller/machine/flow/steptraits.ts';
import { events as machineEvents } from '../../controller/machine/status/events.ts';
import { classReasons, classSteps, secretReasons, secretSteps } from '../../controller/machineclass/flow.ts';
import {
  events as deploymentEvents,
  reasons as deploymentReasons,
  steps as deploymentSteps,
} from '../../controller/machinedeployment/flow/reasons.ts';
import {
  events as setEvents,
  reasons as setReasons,
  steps as setSteps,
} from '../../controller/machineset/flow/reasons.ts';
import { orphanEvents, sweptReasons, verifiedReasons } from '../../controller/safety/orphans/flow/plan.ts';
import { alerts } from '../../hack/generate/monitoring/alerts.ts';
import { valueRows } from '../../hack/generate/valuerows.ts';
import { controllerProgram } from '../../schemas/config/controller.ts';
import { flagsOf } from '../../schemas/config/program.ts';
import { webhookProgram } from '../../schemas/config/webhook.ts';

/** Steps, reasons and events of all kinds, by name. */
export const wordTables: readonly object[] = [
  clusterReasons,
  clusterSteps,
  machineEvents,
  machineReasons,
  machineSteps,
  classReasons,
  classSteps,
  secretReasons,
  secretSteps,
  deploymentEvents,
  deploymentReasons,
  deploymentSteps,
  setEvents,
  setReasons,
  setSteps,
  orphanEvents,
  sweptReasons,
  verifiedReasons,
];

const eventNames = wordTables
  .flatMap((table) => Object.values(table))
  .map((row: unknown) => (row as { eventReason?: string }).eventReason)
  .filter((name) => name !== undefined);

/** Steps, reasons, events and alerts, and the words that Kubernetes, MCM and the tables of conditions have. */
export const names: ReadonlySet<string> = new Set([
  ...wordTables.flatMap((table) => Object.keys(table)),
  ...eventNames,
  ...Object.values(alerts).flatMap((rows) => rows.map(({ name }) => name)),
  // hack/decisions/0051 U34
  RECONCILED,
  ...[
    'Running',
    'Failed',
    'Unknown',
    'Reachable',
    'Frozen',
    'Paused',
    'NodePolicyInstalled',
    'Progressing',
    'OrphanSweepSucceeded',
    'VMDeletionVerified',
    'Preserved',
  ],
  ...[
    'CacheLimitExceeded',
    'NodesUnknown',
    'ReplacementPaused',
    'SpecValid',
    'ReplicaFailure',
    'ProgressDeadlineExceeded',
    'MachineClass',
    'Cluster',
    'Warning',
    'Forbidden',
  ],
]);

const programs = { controller: controllerProgram, webhook: webhookProgram };

/** Flags of both programs, those of MCM that have no effect among them. */
export const flags: ReadonlySet<string> = new Set(
  Object.values(programs).flatMap((program) => [
    ...flagsOf(program).map(({ flag }) => `--${flag}`),
    ...program.ignored.map(({ flag }) => `--${flag}`),
  ]),
);

const values = valueRows(readFileSync(join(import.meta.dir, '../../charts/drover/values.yaml'), 'utf8'));

const settingNames = Object.entries(programs).flatMap(([name, program]) =>
  flagsOf(program).map(({ flag }) => `${name}.settings.${camel(flag)}`),
);

/** Values of the chart by path, with the settings of the programs, and what stands above each. */
export const valuePaths: ReadonlySet<string> = new Set(
  [...values.map(({ path }) => path), ...settingNames].flatMap((path) =>
    path.split('.').map((_, index, parts) => parts.slice(0, index + 1).join('.')),
  ),
);

function camel(flag: string): string {
  return flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
