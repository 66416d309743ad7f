import { reasons as clusterReasons, steps as clusterSteps } from '../../controller/cluster/flow.ts';
import type { EventTable, ReasonRow, ReasonTable, StepTable } from '../../controller/flow/flow.ts';
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
import { metricTables } from '../../controller/manager/metrics.ts';
import type { MetricTable } from '../../controller/runtime/observability/metrics.ts';
import { orphanEvents } from '../../controller/safety/orphans/flow/plan.ts';
import { type Generated, notice } from './generated.ts';
import { markdownTable } from './markdown.ts';

/** controller/REFERENCE.md: the steps and reasons of each kind, by which a waiting object explains itself. */
export const controllerReference = (): Generated[] => [
  { path: 'controller/REFERENCE.md', content: `${[introduction, ...kinds.map(chapter), metrics()].join('\n\n')}\n` },
];

const introduction = `# What the controller tells

<!-- ${notice('the tables in this folder')} -->

The controller looks at an object as a list of **steps**. The first step that is not satisfied decides what happens next,
and gives a **reason**. Of a Machine both stand in \`status.currentStep\`, and each step is a condition: True when it is
satisfied, False with reason and message when it decides, Unknown when it was not reached. The same names stand in events,
in the log and in metrics.

A reason with an event is told by one when it begins to decide, an action when it is done. What happens again is one event
that counts. The log has one line for each change of a decision at level info, and repeats at debug.

\`\`\`bash
kubectl get machines -o wide                # the deciding step of each machine, and its reason
kubectl describe machine NAME               # all steps with their messages, and what happened
kubectl wait mc/NAME --for=condition=NodeRegistered # until a step is satisfied
\`\`\``;

interface Chapter {
  kind: string;
  steps: StepTable;
  reasons: ReasonTable;
  /** Beside those of reasons. */
  events?: EventTable;
}

const kinds: readonly Chapter[] = [
  { kind: 'Machine', steps: machineSteps, reasons: machineReasons, events: machineEvents },
  { kind: 'MachineSet', steps: setSteps, reasons: setReasons, events: setEvents },
  { kind: 'MachineDeployment', steps: deploymentSteps, reasons: deploymentReasons, events: deploymentEvents },
  { kind: 'Cluster', steps: clusterSteps, reasons: clusterReasons },
  { kind: 'MachineClass', steps: classSteps, reasons: classReasons, events: orphanEvents },
  { kind: 'Secret', steps: secretSteps, reasons: secretReasons },
];

const chapter = ({ kind, steps, reasons, events }: Chapter): string =>
  [`## ${kind}`, stepTable(steps), reasonTable(reasons), ...(events ? [eventTable(events)] : [])].join('\n\n');

const stepTable = (steps: StepTable): string =>
  markdownTable(
    ['step', 'is satisfied when'],
    Object.entries(steps).map(([name, description]) => [`\`${name}\``, description]),
  );

const reasonTable = (reasons: ReasonTable): string =>
  markdownTable(
    ['reason', 'event', 'meaning'],
    Object.entries(reasons).map(([name, row]) => [`\`${name}\``, eventOf(row), row.help]),
  );

const eventTable = (events: EventTable): string =>
  markdownTable(
    ['other event', 'type', 'meaning'],
    Object.entries(events).map(([name, { type, help }]) => [`\`${name}\``, type, help]),
  );

const metrics = (): string => `## Metrics

Served at \`/metrics\` in the text form of Prometheus, beside those of the process itself. Names that begin with \`mcm_\` and
\`rest_client_\` are those of machine-controller-manager, with its labels.

${Object.entries(metricTables).map(metricChapter).join('\n\n')}`;

const metricChapter = ([title, table]: [string, MetricTable]): string => `### ${title}

${markdownTable(
  ['metric', 'type', 'labels', 'meaning'],
  Object.entries(table).map(([name, { type, labels, help }]) => [`\`${name}\``, type, labels.join(', '), help]),
)}`;

const eventOf = ({ event, eventReason }: ReasonRow): string =>
  [event, eventReason && `\`${eventReason}\``].filter(Boolean).join(' ');
