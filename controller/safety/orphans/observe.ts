import { FROZEN, LABEL_FREEZE } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { MachineClass } from '../../../schemas/machineclass.ts';
import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../../schemas/machineset.ts';
import type { ListedVm } from '../../driver.ts';
import type { Cache } from '../../runtime/cache.ts';
import { controllerOf, type KubeObject, keyOf } from '../../runtime/object.ts';
import { type Beside, claimsOf } from './claims.ts';
import type { SweepLimits, SweepView } from './view.ts';

/** Where the facts about VMs without Machines are read. */
export interface OrphanSources extends Beside {
  machines: Cache<Machine>;
  sets: Cache<MachineSet>;
  /** With the index `class`. */
  deployments: Cache<MachineDeployment>;
  incarnation: string;
  limits: SweepLimits;
  /** Whether anything may be deleted of the machines of a class, as the safety gate says. */
  gateOf(machineClass: MachineClass): Pick<SweepView, 'shut' | 'judgesFrom'>;
}

/** What a list was answered with, and what is known of earlier ones. */
export interface Listing {
  machineClass: MachineClass;
  vms: readonly ListedVm[];
  now: number;
  sightings: ReadonlyMap<string, number>;
  isLeaving(vm: ListedVm): boolean;
}

/** Everything that one sweep needs. */
export function observeSweep(sources: OrphanSources, { machineClass, ...listing }: Listing): SweepView {
  const { incarnation, limits } = sources;
  const machines = sources.machines.list();
  return {
    ...listing,
    ...sources.gateOf(machineClass),
    incarnation,
    limits,
    claims: claimsOf(machines, sources),
    isFrozen: frozenVms(sources, machineClass, machines),
  };
}

/** By class, for an orphan may be of any of its sets; and by name, for it may be the second VM of a Machine of another class. */
function frozenVms(
  sources: OrphanSources,
  machineClass: MachineClass,
  machines: readonly Machine[],
): SweepView['isFrozen'] {
  const { sets, deployments } = sources;
  const key = keyOf(machineClass);
  const isOfClass = ({ metadata, spec }: MachineSet) =>
    `${metadata.namespace}/${spec?.template?.spec?.class?.name ?? ''}` === key;
  if (deployments.by('class', key).some(isFrozen) || sets.list().some((set) => isOfClass(set) && isFrozen(set)))
    return () => true;
  const inFrozenSet = machines.filter((machine) => {
    const owner = controllerOf(machine);
    const set = owner && sets.get(`${machine.metadata.namespace}/${owner.name}`);
    return set !== undefined && isFrozen(set);
  });
  const names = new Set(inFrozenSet.map(({ metadata }) => metadata.name));
  return ({ machineName }) => names.has(machineName);
}

const isFrozen = ({ metadata }: KubeObject): boolean => metadata.labels?.[LABEL_FREEZE] === FROZEN;
