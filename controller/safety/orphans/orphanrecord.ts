import { ANNOTATION_ORPHAN_DELETION } from '../../../schemas/keys.ts';
import type { MachineClass } from '../../../schemas/machineclass.ts';
import type { ListedVm, VmOwner } from '../../driver.ts';
import type { Node } from '../../runtime/core.ts';
import { keyOf } from '../../runtime/object.ts';

/** What a Node says of its VM, an orphan that is to be deleted: with it a process that takes over can ask for the VM. */
export interface OrphanRecord {
  /** Key of the class whose list showed the VM. */
  classKey: string;
  vm: ListedVm;
}

/** The annotation that says so, which has to be there before the VM is deleted: the Node alone is left then. */
export function orphanRecord({ machineName, incarnation, owner }: ListedVm, machineClass: MachineClass) {
  const said = { class: keyOf(machineClass), machineName, incarnation, owner };
  return { [ANNOTATION_ORPHAN_DELETION]: JSON.stringify(said) };
}

/** What the annotation says; undefined where there is none, or nobody can read it. Its kubelet may write it as well. */
export function readOrphanRecord({ metadata: { annotations }, spec }: Node): OrphanRecord | undefined {
  const text = annotations?.[ANNOTATION_ORPHAN_DELETION];
  if (text === undefined || !spec?.providerID) return undefined;
  const said = readMap(text);
  const [classKey, machineName] = [said['class'], said['machineName']];
  if (typeof classKey !== 'string' || typeof machineName !== 'string') return undefined;
  const owner = readOwner(said['owner']);
  const { incarnation } = said;
  return {
    classKey,
    vm: {
      providerID: spec.providerID,
      machineName,
      ...(typeof incarnation === 'string' && { incarnation }),
      ...(owner && { owner }),
    },
  };
}

function readOwner(said: unknown): VmOwner | undefined {
  const { name, namespace, uid, installation } = mapOf(said);
  if (typeof name !== 'string') return undefined;
  return {
    name,
    ...(typeof namespace === 'string' && { namespace }),
    ...(typeof uid === 'string' && { uid }),
    ...(typeof installation === 'string' && { installation }),
  };
}

function readMap(text: string): Readonly<Record<string, unknown>> {
  try {
    return mapOf(JSON.parse(text));
  } catch {
    return {};
  }
}

const mapOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** A Node that is Ready, and of whose Lease nobody can say that it is renewed no more, may be that of a VM that lives. */
export const mayLive = ({ status }: Node, isSilent: boolean): boolean =>
  !isSilent && (status?.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True');
