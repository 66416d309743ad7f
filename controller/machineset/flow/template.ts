import {
  ANNOTATION_APPLIED_SETTINGS,
  ANNOTATION_APPLIED_SPEC,
  ANNOTATION_CLASS,
  ANNOTATION_CREATION_TIMEOUT,
  ANNOTATION_UPDATE_UNFINISHED,
  FINALIZER,
  LABEL_DEPLOYMENT_NAME,
} from '../../../schemas/keys.ts';
import { apiVersion } from '../../../schemas/kinds.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { MachineSet } from '../../../schemas/machineset.ts';
import { NAME_ROOM } from '../../../schemas/rules/names.ts';
import { mergePatch } from '../../../schemas/same.ts';
import { clusterLabels, deploymentLabels } from '../../model/autoscaler.ts';
import { ownedBy } from '../../model/ownership.ts';
import { phaseOf } from '../../model/phases.ts';
import {
  digestOf,
  fnv32a,
  followsHot,
  liveFields,
  newSettings,
  safeName,
  settingsRecord,
  templateFault,
} from '../../model/template.ts';
import type { MachineSetView } from './view.ts';

/**
 * The Machine that the set makes under this name; where a driver here serves its class it is born with the finalizer and
 * with what it is to remember of the class and of what its VM is about to get.
 */
export function newMachine({ set, served, record, hot }: MachineSetView, name: string): Machine {
  const { template } = set.spec ?? {};
  const timeout = set.metadata.annotations?.[ANNOTATION_CREATION_TIMEOUT];
  const settings = settingsRecord(template?.spec);
  const annotations = {
    ...template?.metadata?.annotations,
    ...(settings && { [ANNOTATION_APPLIED_SETTINGS]: settings }),
    ...(timeout && { [ANNOTATION_CREATION_TIMEOUT]: timeout }),
    ...(record && { [ANNOTATION_CLASS]: record }),
    ...(hot !== undefined && { [ANNOTATION_APPLIED_SPEC]: hot, [ANNOTATION_UPDATE_UNFINISHED]: 'true' }),
  };
  return {
    apiVersion,
    kind: 'Machine',
    metadata: {
      name,
      namespace: set.metadata.namespace,
      labels: {
        ...template?.metadata?.labels,
        ...deploymentLabels(set.metadata.labels?.[LABEL_DEPLOYMENT_NAME]),
        ...clusterLabels(template?.metadata?.labels),
      },
      annotations,
      ownerReferences: [ownedBy(set, 'MachineSet')],
      ...bornWith(template?.metadata?.finalizers, served),
    },
    spec: { ...template?.spec },
  } as Machine;
}

/** The template's finalizers (hack/spec/mcm.md 5.4), and ours. */
function bornWith(finalizersOfTemplate: readonly string[] = [], served: boolean): { finalizers?: string[] } {
  const finalizers = [...new Set([...finalizersOfTemplate, ...(served ? [FINALIZER] : [])])];
  return finalizers.length > 0 ? { finalizers } : {};
}

/** The merge patch that brings the Machine to what its set says of living and leaving machines; undefined when none is needed. */
export function propagation(set: MachineSet, machine: Machine): object | undefined {
  const live = liveChange(set, machine);
  const kind = kindChange(set, machine);
  const settings = settingsChange(set, machine);
  if (!live && !kind && !settings) return undefined;
  const spec = { ...live, ...kind, ...settings?.spec };
  return { ...(Object.keys(spec).length > 0 && { spec }), ...(settings && { metadata: settings.metadata }) };
}

/** MCM's live fields reach only machines that stay (hack/spec/mcm.md 5.3). */
function liveChange(set: MachineSet, machine: Machine): object | undefined {
  const phase = phaseOf(machine);
  if (machine.metadata.deletionTimestamp || phase === 'Failed' || phase === 'Terminating') return undefined;
  return changeTo(set.spec?.template?.spec, machine.spec);
}

type Spec = NonNullable<Machine['spec']>;

/** Digests of what machines follow of templates: a set has the same one in version after version. */
const digests = new WeakMap<Spec, string>();
/** What machines lack of the template that they were held against last: caches share objects that nobody changes. */
const compared = new WeakMap<Spec, { with: string; change: object | undefined }>();

/** Each machine is compared once with a template, whatever changes of the others: both may have a megabyte (hack/decisions/0028 T83). */
function changeTo(template: Spec | undefined, own: Spec | undefined): object | undefined {
  if (!template || !own) return differenceTo(template, own);
  const digest = digests.getOrInsertComputed(template, () => digestOf(followedOf(template)));
  const known = compared.get(own);
  if (known?.with === digest) return known.change;
  const change = differenceTo(template, own);
  compared.set(own, { with: digest, change });
  return change;
}

const followedOf = (template: Spec) => ({
  ...liveFields(template),
  provider: template.provider,
  providerSpec: template.providerSpec,
});

function differenceTo(template: Spec | undefined, own: Spec | undefined): object | undefined {
  const hot = followsHot(own, template);
  return mergePatch(
    { ...liveFields(own), ...(hot && { providerSpec: own?.providerSpec }) },
    { ...liveFields(template), ...(hot && { providerSpec: template?.providerSpec }) },
  );
}

/** A kind is no part of what a machine is made from: that of the template is right for all (hack/spec/mcm.md 5.3), if it is right at all. */
function kindChange(set: MachineSet, machine: Machine): object | undefined {
  const kind = set.spec?.template?.spec?.class?.kind;
  const named = machine.spec?.class;
  return kind === KIND && named && named.kind !== kind ? { class: { kind } } : undefined;
}

/** The only one that is taken. */
const KIND = 'MachineClass';

/** What a template newly says of settings reaches leaving machines, too: their VMs may still be saved (hack/decisions/0052). */
function settingsChange(set: MachineSet, machine: Machine) {
  const template = set.spec?.template?.spec;
  const before = machine.metadata.annotations?.[ANNOTATION_APPLIED_SETTINGS];
  const news = newSettings(template, before);
  if (Object.keys(news).length === 0 || templateFault(set) !== undefined) return undefined;
  return {
    spec: mergePatch({ ...machine.spec }, { ...machine.spec, ...news }),
    metadata: { annotations: { [ANNOTATION_APPLIED_SETTINGS]: settingsRecord(template) ?? null } },
  };
}

const SUFFIX = 5;

/** Which machines the set has now, and how often they have become others since it was made, as its status should tell. */
export function membershipOf({
  set,
  machines,
  strays,
}: Pick<MachineSetView, 'set' | 'machines' | 'strays'>): Membership {
  const uids = [...machines, ...strays].map(({ metadata }) => metadata.uid ?? '').sort();
  const hash = String(fnv32a(uids.join(' ')));
  const before = set.status?.membership;
  if (before?.hash === hash) return before;
  return { hash, changes: (before?.changes ?? 0) + 1 };
}

type Membership = NonNullable<NonNullable<MachineSet['status']>['membership']>;

/**
 * Names of `count` machines to make. They follow from the set, from the machines that it was seen to have, and from how often
 * these have become others: who sees the same and creates again (a second leader, a lost answer) meets AlreadyExists instead
 * of making a machine too many. A set that has no machines once more, or one that failed before it ran, gives no name again: a
 * VM that is retained, an orphan or a Node may still have it.
 */
export function machineNames(view: MachineSetView, count: number): string[] {
  const { set, salt } = view;
  const { hash, changes } = membershipOf(view);
  const failures = set.status?.creationBackOff?.failures ?? 0;
  const sight = fnv32a([set.metadata.uid, hash, changes, salt, failures].join(' '));
  const prefix = set.metadata.name.slice(0, NAME_ROOM.MachineSet);
  return Array.from({ length: count }, (_, index) => `${prefix}-${safeName(fnv32a(` ${index}`, sight), SUFFIX)}`);
}
