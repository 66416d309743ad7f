import { ANNOTATION_PRESERVE } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { act, type Outcome, pass } from '../../flow/flow.ts';
import { isWilling } from '../../flow/refusals.ts';
import { expiryOf } from '../../model/machine.ts';
import { phaseOf } from '../../model/phases.ts';
import type { Reason } from './reasons.ts';
import type { MachineSetAction, MachineSetView } from './view.ts';

const BY_US = 'auto-preserved';

/**
 * Failed machines without a request to preserve them are preserved as far as the budget allows, the newest first; when the budget shrinks,
 * those that would be deleted first anyway are released. A machine with a request of a person is never touched (hack/spec/mcm.md 6.12).
 */
export function autoPreserved(view: MachineSetView): Outcome<MachineSetAction, Reason> {
  const { machines } = view;
  const { most, counted, candidates } = view.preserving;
  const room = most - counted.length;
  const isOwn = (machine: Machine) => machines.includes(machine) && isWilling(view, 'annotate', machine);
  const released = [...counted].sort(earlierFirst).slice(0, Math.max(0, -room)).filter(isOwn);
  if (released.length > 0) return annotate('ReleasePreservedMachines', released, null);
  const kept = [...candidates].sort(newerFirst).slice(0, Math.max(0, room)).filter(isOwn);
  return kept.length > 0 ? annotate('PreserveFailedMachines', kept, BY_US) : pass;
}

/** Failed for good, and nobody asked to keep it for inspection (hack/spec/mcm.md 5.4, 6.12). */
export function isFailedForGood(machine: Machine, { now, preserving }: MachineSetView): boolean {
  if (phaseOf(machine) !== 'Failed') return false;
  const expiry = expiryOf(machine);
  return Number.isNaN(expiry) ? !preserving.wished.has(machine) : expiry <= now;
}

/** Milliseconds until the next preserved Machine is no longer kept. */
export const nextExpiry = ({ machines, now }: MachineSetView): number =>
  Math.min(...machines.map((machine) => expiryOf(machine) - now).filter((ms) => ms > 0));

/** The controller itself asked to keep it. */
export const isAutoPreserved = ({ metadata }: Machine): boolean =>
  metadata.annotations?.[ANNOTATION_PRESERVE] === BY_US;

const annotate = (reason: Reason, machines: Machine[], value: string | null): Outcome<MachineSetAction, Reason> =>
  act(reason, { do: 'annotate', machines, annotations: { [ANNOTATION_PRESERVE]: value } });

/** By expiry, those whose time has not begun last; then the oldest. Every set of a deployment finds the same order. */
function earlierFirst(a: Machine, b: Machine): number {
  const ends = (machine: Machine) => expiryOf(machine) || Number.MAX_SAFE_INTEGER;
  return ends(a) - ends(b) || newerFirst(b, a);
}

function newerFirst(a: Machine, b: Machine): number {
  const born = ({ metadata }: Machine) => Date.parse(metadata.creationTimestamp ?? '') || 0;
  return born(b) - born(a) || (a.metadata.name < b.metadata.name ? 1 : -1);
}
