import type { Machine } from '../../../schemas/machine.ts';
import type { MachineSet } from '../../../schemas/machineset.ts';
import { othersOf } from '../../flow/flow.ts';
import { isWilling } from '../../flow/refusals.ts';
import { isLive, replicasOf } from '../../model/machine.ts';
import { unlessAhead } from '../../safety/outage/gate.ts';
import { leftBeforeItRan } from './backoff.ts';
import type { MachineSetView } from './view.ts';

/** How many machines the set let go whose labels its selector no longer matches, and from when on they are counted. */
type Releases = NonNullable<NonNullable<MachineSet['status']>['releases']>;

/** For so long releases are counted together, milliseconds, and so many of the replicas may be let go meanwhile, one at least. */
const WINDOW_MS = 3_600_000;
const SHARE = 0.1;

/**
 * Machines that are released now. Each keeps its VM and is replaced: so a user who strips the labels of all machines of a set would double
 * their number. Beyond a share they stay the set's, and none is created in their place (hack/decisions/0051 S19g). A machine that is not
 * replaced, or has not run yet and so slows its replacement down (backoff.ts), may be released.
 */
export function released(view: Facts): Machine[] {
  const room = Math.max(0, limitOf(view) - countOf(view)) + surplusOf(view);
  const willing = view.strays.filter((machine) => isWilling(view, 'release', machine));
  return [...willing.filter((machine) => !counts(machine)), ...willing.filter(counts).slice(0, room)];
}

/** Machines that are not let go, for too many were or it was refused, and not replaced. */
export function heldBack(view: Facts): Machine[] {
  const free = new Set(released(view));
  return view.strays.filter((machine) => counts(machine) && !free.has(machine));
}

/** Those of them that wait for the end of the hour. */
const limited = (view: Facts): Machine[] => heldBack(view).filter((machine) => isWilling(view, 'release', machine));

/** What the status should remember once these have been let go. @param timestamp the view's moment as RFC 3339 */
export function releasesOf(view: Facts, timestamp: string): Releases | undefined {
  const before = view.set.status?.releases ?? undefined;
  const more = (view.releasing ?? []).filter(counts).length - surplusOf(view);
  if (more <= 0) return before;
  const count = countOf(view);
  return { machines: count + more, since: count > 0 && before ? before.since : timestamp };
}

/** Milliseconds until more machines may be let go; Infinity where none waits for that. */
export const releasesIn = (view: Facts): number =>
  limited(view).length > 0 ? Math.max(0, sinceOf(view) + WINDOW_MS - view.now) : Infinity;

/** Why machines whose labels were changed are neither let go nor replaced; undefined while none waits for the end of the hour. */
export function heldBackText(view: Facts): string | undefined {
  const delayed = limited(view);
  if (delayed.length === 0) return undefined;
  const [first] = delayed;
  const others = delayed.length > 1 ? ` and ${othersOf(delayed.length - 1)}` : '';
  const gone = countOf(view) > 0 ? `${countOf(view)} were let go since ${view.set.status?.releases?.since}, ` : '';
  const limit = `${gone}at most ${limitOf(view)} an hour are`;
  return `the labels of ${first?.metadata.name}${others} no longer match the selector: ${limit}, and none is made in their place`;
}

/** It stays, and has run. */
const counts = (machine: Machine): boolean => isLive(machine) && !leftBeforeItRan(machine);

type Facts = Pick<MachineSetView, 'set' | 'machines' | 'strays' | 'now' | 'gate' | 'releasing' | 'refused'>;

/** So many may go without another in their place. */
const surplusOf = ({ set, machines, strays }: Facts): number =>
  Math.max(0, machines.filter(isLive).length + strays.filter(counts).length - replicasOf(set));

const limitOf = ({ set }: Facts): number => Math.max(1, Math.floor(replicasOf(set) * SHARE));

const countOf = (view: Facts): number =>
  view.now < sinceOf(view) + WINDOW_MS ? (view.set.status?.releases?.machines ?? 0) : 0;

const sinceOf = (view: Facts): number =>
  unlessAhead(Date.parse(view.set.status?.releases?.since ?? ''), view) || Number.NEGATIVE_INFINITY;
