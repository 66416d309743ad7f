import type { MachineClass } from '../../../../schemas/machineclass.ts';
import { vmExpectedUntil } from '../../../model/expectedvm.ts';
import type { Standing, SweepPlan } from './view.ts';

/** VMs without a Machine of which something is still to come. */
const OPEN: ReadonlySet<Standing> = new Set(['young', 'waiting', 'held', 'queued', 'due', 'leaving']);

/**
 * Milliseconds until a sweep may tell that no VM comes any more of machines of the class that have gone: it is past the time until which one
 * may, and past that in which a VM counts as young. Infinity where none is expected.
 */
export const expectedLeft = (machineClass: MachineClass, { now, graceMs }: { now: number; graceMs: number }): number =>
  (vmExpectedUntil(machineClass) ?? Infinity) + graceMs - now;

/** This list, asked for late enough, shows no VM that somebody is still to delete. */
export const isNoneLeft = ({ standings }: SweepPlan): boolean =>
  ![...standings.values()].some((standing) => OPEN.has(standing));
