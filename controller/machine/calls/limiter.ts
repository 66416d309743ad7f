import type { Machine } from '../../../schemas/machine.ts';
import type { DriverMethod } from '../../drivers/sdk/driver.ts';
import { classKeyOf } from '../../model/class.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type Bound, halfOfTheRest, shareOf } from '../../runtime/fairness/bounds.ts';
import type { Sharing } from '../../runtime/fairness/sharing.ts';
import { Slots } from '../../runtime/fairness/slots.ts';
import { refOf } from '../../runtime/k8s/object.ts';
import type { ClassFact } from '../flow/view.ts';

/** How many driver calls may be in flight at once, at the most. */
export interface SlotLimits {
  /** Of a class. */
  createMachine: number;
  deleteMachine: number;
  updateMachine: number;
  /** Of any method, whatever the classes. */
  driverCalls: number;
  /** Machines of many namespaces may ask: none gets more than half of what the others leave. Of classes that holds always. */
  isShared: boolean;
}

/** What slots for calls need. */
export interface CallSlotsOptions {
  clock: Clock;
  limits: SlotLimits;
  enqueue: (key: string) => void;
  sharing?: Sharing | undefined;
}

/** A call that needs a slot: of which Machine, class and method. */
export interface SlotFor {
  key: string;
  classKey: string;
  method: DriverMethod;
}

/**
 * Slots for driver calls. Each method has its own, so that no call waits for calls of another method: no status call for creations, and no
 * deletion. A call counts for its class, which leaves slots to the other classes of the namespace, and for its namespace: a limit per class
 * alone would not bind users who create many classes (hack/decisions/0049).
 */
export class CallSlots {
  readonly #o: CallSlotsOptions;
  readonly #ofMethod = new Map<DriverMethod, Slots>();

  constructor(options: CallSlotsOptions) {
    this.#o = options;
  }

  /** Methods of which the Machine may start no call now, for as many as may are in flight. */
  full(about: Omit<SlotFor, 'method'>): DriverMethod[] {
    const request = requestOf(about);
    return [...this.#ofMethod].filter(([, slots]) => !slots.isFree(request)).map(([method]) => method);
  }

  /** Takes a slot; the answer gives it back, once. Undefined if there is none: then the key waits. */
  enter(call: SlotFor): (() => void) | undefined {
    this.#leaveOthers(call);
    return this.#slots(call.method).enter(requestOf(call));
  }

  /** Calls the key as soon as it may take a slot, now if it may; it waits for no other method any more. */
  await(call: SlotFor): void {
    this.#leaveOthers(call);
    this.#slots(call.method).await(requestOf(call));
  }

  /** The key wants no slot any more. */
  leave(key: string): void {
    for (const slots of this.#ofMethod.values()) slots.leave(key);
  }

  #leaveOthers({ key, method }: SlotFor): void {
    for (const [other, slots] of this.#ofMethod) if (other !== method && !isBefore(method, other)) slots.leave(key);
  }

  #slots(method: DriverMethod): Slots {
    const known = this.#ofMethod.get(method);
    if (known) return known;
    const { limits, ...rest } = this.#o;
    const ofClass: Partial<Record<DriverMethod, number>> = limits;
    const fresh = new Slots({ ...rest, bounds: [classBound(ofClass[method]), namespaceBound(limits)] });
    this.#ofMethod.set(method, fresh);
    return fresh;
  }
}

/** A question that comes before a deletion: the slot for that is kept meanwhile, as long as any is. */
const isBefore = (method: DriverMethod, other: DriverMethod): boolean =>
  method === 'getMachineStatus' && other === 'deleteMachine';

const requestOf = ({ key, classKey }: Omit<SlotFor, 'method'>) => ({
  key,
  groups: [classKey, refOf(key).namespace ?? ''],
});

/** No more than the others of its namespace leave for a class, nor than is set for it: one whose calls hang holds up no other. */
const classBound = (set = Infinity): Bound => ({
  within: 1,
  most: (others, all) => Math.min(set, all, halfOfTheRest(all, others)),
});

/** Bounds all namespaces together as well: none may have more than the others leave. */
const namespaceBound = ({ driverCalls, isShared }: SlotLimits): Bound => ({
  most: (others) => shareOf(driverCalls, others, isShared),
});

/** Machines of one class share the bounds on calls; those with an inline spec share their namespace's. */
export const slotKeyOf = (machine: Machine, fact: ClassFact): string =>
  (fact.at === 'ours' ? fact.class.metadata.uid : undefined) ?? classKeyOf(machine);
