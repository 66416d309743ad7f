import type { ClusterRoom } from '../runtime/room/cacheroom.ts';
import { weightOf } from '../runtime/room/weight.ts';
import type { Labels } from './flow/rules.ts';

/** What something takes beside its labels: what it is found by, and what rules say of it. */
const BESIDE = 512;

/** What so many things with these labels take together; labels that they share count once. */
export const weightOfLabels = (labels: Iterable<Labels>, things: number): number =>
  [...labels].reduce((sum, one) => sum + weightOf(one), 0) + things * BESIDE;

/** The labels of one thing, in the memory that its target may take (hack/decisions/0034). */
export class LabelRoom {
  readonly #room: Pick<ClusterRoom, 'account'> | undefined;
  #held = 0;

  /** @param room absent for a target of the operator, which has no bound */
  constructor(room: Pick<ClusterRoom, 'account'> | undefined) {
    this.#room = room;
  }

  /** So much is held from now on, in the place of what was. Throws if that is too much: then nothing has changed. */
  hold(bytes: number): void {
    const account = this.#room?.account('labels');
    const change = bytes - this.#held;
    const why = account?.grow(change);
    if (why !== undefined) {
      account?.grow(-change);
      throw new Error(`there is no room for them: they would take more than ${why}`);
    }
    this.#held = bytes;
  }

  /** Nothing is held any more. */
  free(): void {
    this.hold(0);
  }
}
