import type { MachineSpec } from '../machinespec.ts';

/** Whether a machine is made from nothing: it names no class, and says no provider either (MCM 11.4). */
export const lacksSource = ({ class: named, provider }: MachineSpec): boolean => !provider && !named?.name;

/** Whether a machine is made from two things: a class, and what it says itself. */
export const hasTwoSources = ({ class: named, provider }: MachineSpec): boolean => Boolean(provider && named?.name);

/** Whether one of `provider` and `providerSpec`, which go together, is missing. */
export const hasHalfSource = ({ provider, providerSpec }: MachineSpec): boolean =>
  Boolean(provider) !== (providerSpec !== undefined && providerSpec !== null);
