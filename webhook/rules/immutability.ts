import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { Facts } from '../admission/context.ts';
import { type Rule, when } from '../admission/rule.ts';
import type { Provider } from '../providers/provider.ts';
import { countOf } from './places.ts';

/** How many fields are named. */
const MOST_FIELDS = 20;

/**
 * A VM follows only those changes of its class that the driver marks `x-drover-hot-update`; nodeTemplate and the
 * references to Secrets are free (hack/spec/mcm.md 6.10), and so is the deletion of a class: its finalizer waits for its machines.
 *
 * Machines are seen through a watch. One that is gone may still be seen for a moment: the change is refused, and trying
 * again helps. One that was just made may not be seen yet: then `class-change-noted` speaks instead.
 */
export const classInUse: Rule<MachineClass> = {
  id: 'class-in-use',
  on: ['update'],
  field: 'providerSpec',
  message:
    'cannot change while machines use the class, for their VMs would stay as they are; make a new MachineClass and name it in the template, which rolls the machines over',
  validate(now, before, facts) {
    const users = facts.machinesOf(now.metadata.name);
    if (users.length === 0) return [];
    const message = `${classInUse.message} (used by ${countOf(users.length, 'Machine')})`;
    return coldChanges(now, before, facts)
      .slice(0, MOST_FIELDS)
      .map((at) => ({ at, message }));
  },
};

/** No change that a VM would not follow goes by in silence, for a machine may have been made in that very moment. */
export const classChangeNoted: Rule<MachineClass> = {
  id: 'class-change-noted',
  on: ['update'],
  field: 'providerSpec',
  level: 'warn',
  message:
    'changes what VMs are made from; no machine was seen that uses the class, but one that is made at this moment may keep the old values',
  validate: (now, before, facts) =>
    when(facts.machinesOf(now.metadata.name).length === 0 && coldChanges(now, before, facts).length > 0),
};

/** The same for a machine without a class: its own providerSpec, from the moment at which it has a VM. */
export const inlineInUse: Rule<Machine> = {
  id: 'inline-in-use',
  on: ['update'],
  field: 'spec.providerSpec',
  message:
    'cannot change once the machine has a VM, which would stay as it is; make a new Machine with the other providerSpec',
  validate({ spec }, before, { provider }) {
    const { providerID, providerSpec } = before?.spec ?? {};
    if (!providerID || providerSpec === undefined) return [];
    return coldIn(provider(spec?.provider ?? ''), providerSpec, spec?.providerSpec)
      .slice(0, MOST_FIELDS)
      .map((at) => ({ at }));
  },
};

const coldChanges = (now: MachineClass, before: MachineClass | undefined, { provider }: Facts): string[] =>
  coldIn(provider(now.provider ?? ''), before?.providerSpec, now.providerSpec);

/**
 * Of a field that the driver's schema refuses, the rule of the schema alone speaks: a slip of the pen is no change. Of a
 * providerSpec that is taken away the schema's rule says nothing.
 */
function coldIn(driver: Provider | undefined, before: unknown, now: unknown): string[] {
  const cold = driver?.coldChanges(before, now) ?? [];
  if (!driver || !now || cold.length === 0) return cold;
  const faulty = new Set(driver.specFaults(now).map(({ at }) => at));
  return cold.filter((at) => !faulty.has(at));
}
