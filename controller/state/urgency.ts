import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { Capability } from '../../schemas/providers/capabilities.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import { type Decision, RECONCILED } from '../flow/flow.ts';
import { machinePriority, type Trigger } from '../flow/priority.ts';
import { classKeyOf, isInline, type Lookup } from '../model/class.ts';

const NOTHING: ReadonlySet<Capability> = new Set();

/** Reasons to wait that end by themselves, in a word from the driver or a slot: more is to be done then, and soon. */
const COMING: ReadonlySet<string> = new Set([
  'DriverCallInProgress',
  'WaitingForDriverSlot',
  'BootstrapTokensUnknown',
  RECONCILED,
]);

/** Whether a decision leaves nothing to do but wait; undefined while something is done. */
export function heldUpBy({ outcome }: Decision<unknown>): boolean | undefined {
  if (outcome.kind === 'act') return undefined;
  return outcome.kind !== 'pass' && !COMING.has(outcome.reason);
}

/** How urgent Machines are; remembers which ones were held up at their last reconcile, and have not changed since. */
export class Urgency {
  readonly #classes: Lookup<MachineClass>;
  /** What the driver of each provider publishes. */
  #can: ReadonlyMap<string, ReadonlySet<Capability>> = new Map();
  /** By UID; for a Machine that was not reconciled yet its status decides. */
  readonly #heldUp = new Map<string, boolean>();

  constructor(classes: Lookup<MachineClass>) {
    this.#classes = classes;
  }

  /** From now on these drivers serve, by the name of their provider. */
  serve(drivers: ReadonlyMap<string, Driver>): void {
    this.#can = new Map([...drivers].map(([provider, { capabilities }]) => [provider, new Set(capabilities)]));
  }

  /** The Machine's priority in the queue. */
  of(machine: Machine, trigger: Trigger): number {
    const heldUp = this.#heldUp.get(machine.metadata.uid ?? '') ?? wasHeldUp(machine);
    return machinePriority(machine, trigger, { can: this.#canDo(machine), heldUp });
  }

  /** A look at the Machine has ended so. */
  judged({ metadata: { uid = '' } }: Machine, decision: Decision<unknown>): void {
    const heldUp = heldUpBy(decision);
    if (heldUp !== undefined) this.#heldUp.set(uid, heldUp);
  }

  /** Something has changed that the Machine may have waited for. */
  changed({ metadata: { uid = '' } }: Machine): void {
    this.#heldUp.set(uid, false);
  }

  /** Drops what is remembered of a Machine. */
  forget(uid: string): void {
    this.#heldUp.delete(uid);
  }

  #canDo(machine: Machine): ReadonlySet<Capability> {
    const provider = isInline(machine) ? machine.spec?.provider : this.#classes.get(classKeyOf(machine))?.provider;
    return this.#can.get(provider ?? '') ?? NOTHING;
  }
}

/** What an earlier process found. */
function wasHeldUp({ status }: Machine): boolean {
  const reason = status?.currentStep?.reason;
  return Boolean(reason) && !COMING.has(reason ?? '');
}
