import { isFrozen } from '../../controller/model/freeze.ts';
import type { Node } from '../../controller/runtime/k8s/core.ts';
import { controllerOf, keyOf } from '../../controller/runtime/k8s/object.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import { isOnlyKept } from '../../schemas/rules/machine.ts';
import type { Cloud, Vm } from './cloud.ts';
import type { Guard } from './guard.ts';
import { freezeOf } from './overshoots.ts';
import type { Server } from './server.ts';
import { isUntouchable } from './strangerguard.ts';
import { tagFault, tagsOf } from './tags.ts';
import { thiefLeft } from './thieves.ts';
import { leftToken } from './tokens.ts';
import type { User } from './user.ts';

/** Where to look whether a run has settled. */
export interface SettlingParts {
  user: User;
  cloud: Cloud;
  target: Server;
  guard: Guard;
  joins: boolean;
  marks: boolean;
}

/** The first thing that is not yet as it should be; undefined when all is. */
export function unsettled({ user, cloud, target, guard, joins, marks }: SettlingParts): string | undefined {
  const [pool] = user.all('machinedeployments');
  if (!pool) return 'the deployment is gone';
  const { replicas = 0, template } = pool.spec;
  const release = template.metadata?.labels?.['release'];
  const [small] = user.all('machineclasses');
  const all = user.all('machines').filter((one) => !isOnlyKept(one));
  // One that people took from its set is nobody's.
  const mine = all.filter((machine) => controllerOf(machine) !== undefined);
  if (mine.length !== replicas) return `${mine.length} machines, ${replicas} are wanted`;
  return (
    firstOf(mine, (machine) => machineUnsettled(machine, cloud, guard.isRewound ? undefined : small?.providerSpec)) ??
    firstOf(mine, ({ metadata }) =>
      metadata.labels?.['release'] === release ? undefined : `${metadata.name} is of an old template`,
    ) ??
    thiefLeft(all) ??
    leftovers({ cloud, guard, target, marks }, all) ??
    leftToken(target) ??
    stillFrozen(user) ??
    statusUnsettled(pool.status, { replicas, joins })
  );
}

function machineUnsettled(
  { metadata, spec, status }: Machine,
  cloud: Cloud,
  wanted: MachineClass['providerSpec'] | undefined,
): string | undefined {
  const phase = status?.currentStatus?.phase;
  if (metadata.deletionTimestamp) return `${metadata.name} is being deleted`;
  if (phase !== 'Running' && phase !== 'Available') return `${metadata.name} is ${phase || 'new'}`;
  const vm = cloud.vms.get(spec?.providerID ?? '');
  if (!vm) return `${metadata.name} has no VM`;
  // What an edit of the class brought VMs to that a restored backup has undone, nobody knows.
  if (!wanted) return undefined;
  const size = wanted['size'];
  if (vm.size !== size) return `the VM of ${metadata.name} has size ${vm.size}, ${size} is wanted`;
  const fault = tagFault(vm.tags, tagsOf({ providerSpec: wanted }), vm.foreign === true);
  return fault && `the VM of ${metadata.name}: ${fault}`;
}

function leftovers(
  { cloud, guard, target, marks }: Pick<SettlingParts, 'cloud' | 'guard' | 'target' | 'marks'>,
  all: readonly Machine[],
): string | undefined {
  const isHeld = (one: Vm) => all.some((machine) => isMarked(machine, one) || (!marks && isNamed(machine, one)));
  const vm = [...cloud.vms.values()].find((one) => !isHeld(one) && !one.retained && !isUntouchable(one));
  if (vm) return `${vm.providerID} of ${vm.machine} is left behind`;
  const recorded = new Set(all.map(({ spec }) => spec?.providerID));
  return firstOf(target.api.store.list('/nodes') as Node[], ({ metadata, spec }) => {
    const providerID = spec?.providerID ?? '';
    const isKnown = cloud.vms.has(providerID) || recorded.has(providerID) || guard.traceless.has(providerID);
    return isKnown ? undefined : `Node ${metadata.name} is left behind`;
  });
}

const isMarked = ({ metadata }: Machine, { token }: Vm): boolean => metadata.uid === token;

/** Where VMs carry no marks their names tell whose they are: the machine has taken one for its own that came under its name. */
const isNamed = (machine: Machine, vm: Vm): boolean =>
  machine.spec?.providerID === vm.providerID && keyOf(machine) === vm.machine;

const stillFrozen = (user: User): string | undefined =>
  firstOf([...user.all('machinesets'), ...user.all('machinedeployments')], (object) =>
    isFrozen(freezeOf(object)) ? `${object.metadata.name} is frozen` : undefined,
  );

/** A machine that joins no cluster is available, and never ready. */
function statusUnsettled(
  status: object | undefined,
  { replicas, joins }: { replicas: number; joins: boolean },
): string | undefined {
  const fields = ['replicas', 'availableReplicas', 'updatedReplicas', ...(joins ? ['readyReplicas'] : [])];
  const told = status as Record<string, number | undefined> | undefined;
  return firstOf(fields, (field) =>
    (told?.[field] ?? 0) === replicas ? undefined : `status.${field} is ${told?.[field]}, ${replicas} are wanted`,
  );
}

function firstOf<T>(items: readonly T[], judge: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = judge(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
