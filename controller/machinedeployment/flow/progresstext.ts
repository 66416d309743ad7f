import type { Machine } from '../../../schemas/machine.ts';
import { named } from '../../flow/naming.ts';
import { isLive } from '../../model/holding.ts';
import { availableIn } from '../../model/machine.ts';
import { availableOf, specReplicas } from './numbers.ts';
import { newSetOf } from './revision.ts';
import type { MachineDeploymentView } from './view.ts';

/** How far a rollout is and which machines it waits for, by name. */
export function progressText(view: Pick<MachineDeploymentView, 'deployment' | 'sets' | 'now'>): string {
  const { deployment, sets, now } = view;
  const fresh = newSetOf(deployment, sets);
  const replicas = deployment.spec.replicas ?? 0;
  if (!fresh)
    return [`no machine is of the newest template, ${replicas} are wanted`, ...waits(leaving(view))].join('; ');
  const live = fresh.machines.filter(isLive);
  const late = live.filter((machine) => availableIn(fresh.set, machine, now) > 0 && !isUpdating(machine));
  const toMake = Math.max(0, specReplicas(fresh) - live.length);
  const awaited = [
    ...(toMake > 0 ? [`for machine set ${fresh.set.metadata.name} to make ${toMake}`] : []),
    ...(late.length > 0 ? [`for ${oldest(late, phased)} to become available`] : []),
    ...updating(view),
    ...leaving(view),
  ];
  const far = `${availableOf(fresh, now)} of ${replicas} machines are of the newest template and available`;
  return [far, ...waits(awaited)].join('; ');
}

const waits = (awaited: readonly string[]): string[] => (awaited.length > 0 ? [`waiting ${awaited.join(', ')}`] : []);

const updating = ({ sets }: Pick<MachineDeploymentView, 'sets'>): string[] => {
  const meant = sets.flatMap(({ machines }) => machines.filter((machine) => isLive(machine) && isUpdating(machine)));
  return meant.length > 0 ? [`for ${oldest(meant, phased)} to be updated in place`] : [];
};

const isUpdating = ({ status }: Machine): boolean => UPDATING.has(status?.currentStatus?.phase ?? '');

const UPDATING: ReadonlySet<string> = new Set(['InPlaceUpdating', 'InPlaceUpdateFailed']);

function leaving({ sets }: Pick<MachineDeploymentView, 'sets'>): string[] {
  const going = sets.flatMap(({ machines }) => machines.filter((machine) => !isLive(machine)));
  return going.length > 0 ? [`for ${oldest(going, ({ metadata }) => metadata.name)} to go`] : [];
}

const phased = ({ metadata, status }: Machine): string =>
  `${metadata.name} (${status?.currentStatus?.phase || 'Pending'})`;

/** The oldest ones are named. */
const oldest = (machines: readonly Machine[], nameOf: (machine: Machine) => string): string =>
  named(machines.toSorted(olderFirst).map(nameOf));

function olderFirst({ metadata: a }: Machine, { metadata: b }: Machine): number {
  const [one, other] = [a, b].map(({ creationTimestamp = '', name }) => `${creationTimestamp} ${name}`) as [
    string,
    string,
  ];
  return one < other ? -1 : 1;
}
