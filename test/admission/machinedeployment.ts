import { LABEL_TEMPLATE_HASH } from '../../schemas/keys.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import { type MachineDeployment, machineDeploymentKind } from '../../schemas/machinedeployment.ts';
import { machineOf } from './among.ts';
import { triggerDeletionCases } from './annotations.ts';
import { type AdmissionCase, builder, type CaseTable } from './case.ts';
import { metadataCases } from './metadata.ts';
import { machineNameCases, shortNameCases } from './names.ts';
import { replacingCases } from './replaces.ts';
import { rollbackCases } from './sets.ts';
import { templatedCases } from './templated.ts';

const machineDeployment = builder<MachineDeployment>({
  apiVersion,
  kind: 'MachineDeployment',
  metadata: { name: 'herd' },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: 'herd' } },
    template: { metadata: { labels: { app: 'herd' } }, spec: { class: { kind: 'MachineClass', name: 'small' } } },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
  },
});

const hurried = (minReadySeconds: number, progressDeadlineSeconds?: number) =>
  machineDeployment((made) => {
    made.spec.minReadySeconds = minReadySeconds;
    made.spec.minReadySecondsPolicy = 'Honor';
    made.spec.progressDeadlineSeconds = progressDeadlineSeconds;
  });

const deadlineCases: ReadonlyArray<AdmissionCase<MachineDeployment>> = [
  { what: 'a deadline that is long enough', now: hurried(60, 60), refused: [], warned: ['deployment-ready-seconds'] },
  { what: 'no deadline', now: hurried(60), refused: [], warned: ['deployment-ready-seconds'] },
  {
    what: 'a deadline before anything is ready',
    now: hurried(60, 59),
    refused: ['deadline-after-ready'],
    warned: ['deployment-ready-seconds'],
  },
  {
    what: 'a deadline before seconds that nobody counts',
    now: machineDeployment((made) => Object.assign(made.spec, { minReadySeconds: 500, progressDeadlineSeconds: 60 })),
    refused: [],
    warned: ['deployment-ready-seconds'],
  },
  {
    what: 'replicas of a deployment whose deadline was too short before',
    before: hurried(60, 59),
    now: { ...hurried(60, 59), spec: { ...hurried(60, 59).spec, replicas: 1 } },
    refused: [],
  },
];

const limited = (strategy: object) => machineDeployment((made) => Object.assign(made.spec, { strategy }));
const STILL = { maxSurge: '0%', maxUnavailable: 0 };

/** hack/decisions/0051 U12 */
const limitCases: ReadonlyArray<AdmissionCase<MachineDeployment>> = [
  {
    what: 'a rollout by which no machine may be above or missing',
    now: limited({ type: 'RollingUpdate', rollingUpdate: STILL }),
    refused: [],
    warned: ['rollout-moves'],
  },
  {
    what: 'the same of an update in place',
    before: machineDeployment(),
    now: limited({ type: 'InPlaceUpdate', inPlaceUpdate: { ...STILL, orchestrationType: 'Auto' } }),
    refused: [],
    warned: ['rollout-moves'],
  },
  {
    what: 'one machine less',
    now: limited({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } }),
    refused: [],
  },
  { what: 'all at once', now: limited({ type: 'Recreate' }), refused: [] },
];

const choosing = (count: number, length: number) =>
  machineDeployment((made) => {
    made.spec.deleteMachines = Array.from({ length: count }, (_, index) => `${index}`.padStart(length, 'm'));
  });

/** hack/decisions/0051 L46 */
const choosingCases: ReadonlyArray<AdmissionCase<MachineDeployment>> = [
  { what: 'as many machines to delete as can be, of names as long as can be', now: choosing(1000, 63), refused: [] },
  {
    what: 'machines to delete whose names no annotation could carry',
    before: machineDeployment(),
    now: choosing(1000, 253),
    refused: ['delete-machines-fit'],
    warned: ['delete-machines-there'],
  },
  {
    what: 'replicas of a deployment that had such names before',
    before: choosing(1000, 253),
    now: { ...choosing(1000, 253), spec: { ...choosing(1000, 253).spec, replicas: 1 } },
    refused: [],
  },
];

const wanting = (...names: string[]) =>
  machineDeployment((made) => {
    made.spec.deleteMachines = names;
  });
const shelved = [machineOf('herd-one'), machineOf('herd-two')];

/** hack/decisions/0051 U46 */
const strangerCases: ReadonlyArray<AdmissionCase<MachineDeployment>> = [
  {
    what: 'machines to delete that are there',
    before: machineDeployment(),
    now: wanting('herd-one', 'herd-two'),
    among: shelved,
    refused: [],
  },
  {
    what: 'a machine to delete that is not there',
    before: machineDeployment(),
    now: wanting('herd-one', 'herd-tow'),
    among: shelved,
    refused: [],
    warned: ['delete-machines-there'],
  },
  {
    what: 'replicas of a deployment that names such a machine already',
    before: wanting('herd-tow'),
    now: { ...wanting('herd-tow'), spec: { ...wanting('herd-tow').spec, replicas: 1 } },
    among: shelved,
    refused: [],
  },
];

/** Requests about MachineDeployments, and the rules that refuse them. */
export const machineDeploymentCases: CaseTable<MachineDeployment> = {
  kind: machineDeploymentKind,
  cases: [
    {
      what: 'no selector at all',
      now: machineDeployment((made) => {
        made.spec.selector = undefined;
      }),
      refused: ['selector-not-empty'],
    },
    {
      what: 'a hash in the selector, which only sets may have',
      before: machineDeployment(),
      now: machineDeployment((made) => {
        made.spec.selector = { matchLabels: { app: 'herd', [LABEL_TEMPLATE_HASH]: '1' } };
        made.spec.template.metadata = { labels: { app: 'herd', [LABEL_TEMPLATE_HASH]: '1' } };
      }),
      refused: ['selector-immutable'],
    },
    ...templatedCases(machineDeployment),
    ...shortNameCases(machineDeployment),
    ...machineNameCases(machineDeployment, 51),
    ...triggerDeletionCases(machineDeployment),
    ...deadlineCases,
    ...limitCases,
    ...choosingCases,
    ...strangerCases,
    ...rollbackCases(machineDeployment),
    ...replacingCases(machineDeployment),
    ...metadataCases(machineDeployment),
  ],
};
