import type { Node } from '../runtime/k8s/core.ts';
import type { ClaimedVolume } from './claims.ts';

/** Longer no Node's own list of attached volumes is, in characters: it has some hundred entries. Nor are all ids that are looked for in it. */
const MOST_LISTED = 1 << 16;

/**
 * The Node's own list contains one of the volumes, if the driver reported its id; or that list, or all ids together, are too long to be
 * searched.
 */
export function isListed(node: Node | undefined, volumes: ReadonlyArray<Pick<ClaimedVolume, 'id'>>): boolean {
  const names = (node?.status?.volumesAttached ?? []).map(({ name }) => name);
  const ids = volumes.flatMap(({ id }) => id ?? []);
  if (names.length === 0 || ids.length === 0) return false;
  return isLong(names) || isLong(ids) || hasAny(names, ids);
}

const isLong = (texts: readonly string[]): boolean => texts.reduce((sum, { length }) => sum + length, 0) > MOST_LISTED;

/** What has been read of ids when a part of a name has been. */
interface State {
  /** By the next character. */
  next: Map<string, State>;
  /** The longest end of it that an id, or another one, begins with. */
  otherwise?: State;
  /** An id ends here. */
  isWhole: boolean;
}

/**
 * Whether one of the names contains one of the ids, in time linear in the length of all (Aho and Corasick, 1975): `includes` takes the product
 * of both lengths for texts that are made for it, and a target says what stands in both (hack/decisions/0028 T87).
 */
function hasAny(names: readonly string[], ids: readonly string[]): boolean {
  const start = statesOf(ids);
  return names.some((name) => {
    let state = start;
    for (const character of name) {
      state = after(state, character);
      if (state.isWhole) return true;
    }
    return false;
  });
}

function statesOf(ids: readonly string[]): State {
  const start: State = { next: new Map(), isWhole: false };
  for (const id of ids) added(start, id).isWhole = true;
  const states = [start];
  for (const state of states) {
    for (const [character, next] of state.next) {
      next.otherwise = state.otherwise ? after(state.otherwise, character) : start;
      next.isWhole ||= next.otherwise.isWhole;
      states.push(next);
    }
  }
  return start;
}

/** The state in which all of the id has been read. */
function added(start: State, id: string): State {
  let state = start;
  for (const character of id) {
    const next = state.next.get(character) ?? { next: new Map(), isWhole: false };
    state.next.set(character, next);
    state = next;
  }
  return state;
}

function after(from: State, character: string): State {
  let state = from;
  for (let next = state.next.get(character); ; next = state.next.get(character)) {
    if (next) return next;
    if (!state.otherwise) return state;
    state = state.otherwise;
  }
}
