import { ANNOTATION_CLASS, FINALIZER, SECRET_FINALIZER } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { MachineClass } from '../../../schemas/machineclass.ts';
import type { MachineSpec } from '../../../schemas/machinespec.ts';
import type { Published } from '../../../schemas/providers/index.ts';
import { drivenFields, isUnsupported } from '../../../schemas/rules/drivenfields.ts';
import { machineSpecFault } from '../../../schemas/rules/machine.ts';
import { act, fail, pass, type StepState, wait } from '../../flow/flow.ts';
import {
  classOfMachine,
  foreignSecretOf,
  isInline,
  type Lookup,
  recordDue,
  recordedClass,
  secretKeysOf,
} from '../../model/class.ts';
import { phaseOf } from '../../model/phases.ts';
import type { KubeObject } from '../../runtime/k8s/object.ts';
import { hasFinalizer } from '../../runtime/k8s/object.ts';
import type { Answer } from './drivercall.ts';
import type { ClassFact, MachineView } from './view.ts';

/**
 * A Machine whose class or Secret is missing, or is another's, goes no further. One that has its VM goes on with what it
 * remembers of its class, and without a Secret: no driver can be asked then, but its Node is judged.
 */
export const classReady = (view: MachineView): Answer => (hasVm(view) && secretTrouble(view) ? pass : served(view));

/** There is all that a driver call needs. */
export function served(view: MachineView): Answer {
  const { class: fact } = view;
  if (fact.at === 'missing') return wait('ClassNotFound', Infinity, missingText(view.machine, fact.name));
  const trouble = secretTrouble(view);
  if (trouble) return wait(trouble.reason, Infinity, trouble.says);
  if (fact.at === 'foreign')
    return wait('NoDriverForProvider', Infinity, `no driver here serves provider "${fact.provider}"`);
  return pass;
}

/** How the class stands, where passing the step does not tell it; undefined when all is there. */
export function classState(view: MachineView): StepState | undefined {
  const { class: fact } = view;
  if (!hasVm(view)) return undefined;
  const trouble = secretTrouble(view);
  if (trouble) return notThere(trouble.reason, `${trouble.says}: the driver cannot be asked about the VM`);
  if (fact.at !== 'ours' || !fact.fromRecord) return undefined;
  return notThere(
    'ClassNotFound',
    `MachineClass "${fact.class.metadata.name}" does not exist: the machine goes on with what it remembers of it`,
  );
}

/**
 * What the VM is made from stands on the Machine before there is one: its end needs no class. Nothing is made of what
 * could not be written down; a Machine that has its VM goes on.
 */
export function classRecorded(view: MachineView): Answer {
  const { class: fact, machine, refused } = view;
  const due = fact.at === 'ours' && !fact.fromRecord ? recordDue(machine, fact.class) : undefined;
  if (due === undefined) return pass;
  const refusal = refused.get('ClassRecorded');
  if (!refusal) return act('RecordClass', { do: 'annotate', annotations: { [ANNOTATION_CLASS]: due } });
  return hasVm(view) ? pass : fail('WriteRefused', refusal.message);
}

/** Nothing new is made from a class that is gone, or that could go at any moment (hack/spec/mcm.md 6.3). */
export function creatable({ class: fact }: MachineView): Answer {
  if (fact.at !== 'ours') return pass;
  if (fact.fromRecord)
    return wait('ClassNotFound', Infinity, `MachineClass "${fact.class.metadata.name}" does not exist`);
  if (fact.unheld === undefined) return pass;
  return wait('ClassFinalizerMissing', Infinity, `${fact.unheld} does not carry its finalizer yet`);
}

/**
 * No VM was ever asked for: this process would have done it, or nothing tells of it. What is made from a class is written down
 * before, and MCM tells of what it tried.
 */
export function neverBegun({ machine: { metadata, spec, status }, vm, unasked }: MachineView): boolean {
  const told = status?.lastOperation?.type || phaseOf({ status }) === 'CrashLoopBackOff';
  const isUntouched = unasked || (!metadata.annotations?.[ANNOTATION_CLASS] && !told);
  return !spec?.providerID && vm.at !== 'present' && isUntouched;
}

/** Why a Machine does not go without its Secret: a driver that was asked without might look where the VM is not. */
const DOUBT =
  'there may be a VM, and no driver is asked about it without; once it is there again, the deletion goes on';

/** One that MCM made may have nothing of its class on it, and leaves as little without it as without a Secret (hack/decisions/0051 U51). */
function missingText({ metadata }: Machine, name: string): string {
  const says = `MachineClass "${name}" does not exist`;
  if (!metadata.deletionTimestamp) return says;
  return `${says}, and nothing of it stands on the machine: make it again with the provider and Secrets that it had; ${DOUBT}`;
}

/** Why the driver cannot be given the data of the class's Secrets; undefined when it can. */
function secretTrouble({ class: fact, machine }: MachineView) {
  if (fact.at === 'secretMissing') {
    const says = `Secret "${fact.secret}" does not exist`;
    return { reason: 'SecretNotFound', says: machine.metadata.deletionTimestamp ? `${says}: ${DOUBT}` : says } as const;
  }
  if (fact.at !== 'secretForeign') return undefined;
  const { namespace } = machine.metadata;
  const remedy = `copy it to namespace "${namespace}" and name it there`;
  const says = `Secret "${fact.secret}" is not read, for the machine is in another namespace (${remedy})`;
  return { reason: 'RefNotPermitted', says } as const;
}

const hasVm = ({ machine }: MachineView): boolean => Boolean(machine.spec?.providerID);

const notThere = (reason: string, message: string): StepState => ({
  type: 'ClassReady',
  status: 'False',
  reason,
  message,
});

/** What the webhook refuses is judged again: nothing is made of a spec that cannot come true. A VM that is there stays. */
export function specValid(view: MachineView): Answer {
  if (mayHaveVm(view)) return pass;
  const fault = faultOf(view);
  return fault === undefined ? pass : fail('SpecInvalid', fault);
}

/** What is wrong with the spec of a Machine that goes on all the same; undefined when nothing is. */
export function specState(view: MachineView): StepState | undefined {
  const message = faultOf(view);
  return message === undefined ? undefined : { type: 'SpecValid', status: 'False', reason: 'SpecInvalid', message };
}

const faultOf = ({ machine, class: fact }: MachineView): string | undefined =>
  fact.at === 'foreign' ? undefined : machineSpecFault(machine.spec, 'spec');

/** There is a VM, or the driver has yet to say that there is none. */
const mayHaveVm = ({ machine, vm, class: fact }: MachineView): boolean =>
  Boolean(machine.spec?.providerID) || vm.at === 'present' || (vm.at === 'unknown' && fact.at === 'ours');

/**
 * Fields that the driver does not support stop nothing: the others are heeded, and the Machine is deleted as any other. They are only
 * reported, because the webhook refuses them: such a Machine was created while no webhook answered, or before its class.
 */
export const fieldsSupported = (): Answer => pass;

/** How the fields of the spec stand that the driver cannot bring about; undefined when there is none. */
export function supportState({ unsupported }: MachineView): StepState | undefined {
  if (!unsupported) return undefined;
  return { type: 'FieldsSupported', status: 'False', reason: 'Unsupported', message: unsupported };
}

/** A sentence on each field of the spec that the driver cannot bring about; undefined when there is none, or no driver of ours. */
export function unsupportedFields(
  spec: MachineSpec | undefined,
  driver: Pick<Published, 'capabilities'> | undefined,
): string | undefined {
  if (!spec || !driver) return undefined;
  const can = new Set(driver.capabilities);
  const rows = drivenFields.filter((row) => isUnsupported(row, spec, can));
  return rows.length === 0 ? undefined : rows.map(({ field, message }) => `spec.${field} ${message}`).join('; ');
}

/** Where the class of a Machine and its Secrets are looked up. */
interface ClassSources {
  classes: Lookup<MachineClass>;
  secrets: Lookup<KubeObject>;
  /** By the provider that each serves. */
  drivers: { has(provider: string): boolean };
}

/** How the class of a Machine stands; what the Machine remembers of it stands in for one that is gone. */
export function classFact(sources: ClassSources, machine: Machine): ClassFact {
  const live = classOfMachine(sources.classes, machine);
  const memory = isInline(machine) ? undefined : recordedClass(machine);
  const found = live && !isAnother(live, memory, machine) ? live : memory;
  if (!found) return { at: 'missing', name: machine.spec?.class?.name ?? '' };
  if (!sources.drivers.has(found.provider ?? '')) return { at: 'foreign', provider: found.provider ?? '' };
  const foreign = foreignSecretOf(found);
  if (foreign !== undefined) return { at: 'secretForeign', secret: foreign };
  const secret = secretKeysOf(found).find((key) => !sources.secrets.get(key));
  if (secret !== undefined) return { at: 'secretMissing', secret };
  if (found !== live) return { at: 'ours', class: found, fromRecord: true };
  const unheld = isInline(machine) ? undefined : firstUnheld(sources, found);
  return { at: 'ours', class: found, ...(unheld !== undefined && { unheld }) };
}

/** Made anew under the name of the one that the VM was made from, and of another provider: no driver of it knows the VM. */
const isAnother = (live: MachineClass, memory: MachineClass | undefined, { spec }: Machine): boolean =>
  Boolean(spec?.providerID) && memory !== undefined && memory.provider !== live.provider;

/** What of a class and its Secrets could still be deleted under a new VM (hack/spec/mcm.md 6.3). */
function firstUnheld({ secrets }: ClassSources, found: MachineClass): string | undefined {
  const holds = (object: KubeObject | undefined, finalizer: string) => object && hasFinalizer(object, finalizer);
  if (!holds(found, FINALIZER)) return `MachineClass "${found.metadata.name}"`;
  const secret = secretKeysOf(found).find((key) => !holds(secrets.get(key), SECRET_FINALIZER));
  return secret === undefined ? undefined : `Secret "${secret}"`;
}
