import { inPlaceReason } from '../../controller/nodes/change.ts';
import { LABEL_CANDIDATE, LABEL_SELECTED, LABEL_UPDATE_RESULT } from '../../schemas/keys.ts';
import type { Herd } from './herd.ts';

/** What stands on Nodes for an update in place. */
const MARKS: Readonly<Record<string, string>> = {
  [LABEL_CANDIDATE]: 'candidate',
  [LABEL_SELECTED]: 'selected',
  [LABEL_UPDATE_RESULT]: 'result',
};

/** The agents on the Nodes, which update them: each needs a minute from the moment at which it is told to begin. */
export class Agents {
  readonly #herd: Herd;
  /** How many of the next updates fail, and of how many nothing is heard. */
  readonly next = { failing: 0, silent: 0 };
  readonly #given = new Set<string>();

  constructor(herd: Herd) {
    this.#herd = herd;
  }

  /** A minute is over. */
  work(): void {
    for (const machine of this.#herd.machines) {
      const node = this.#herd.nodes?.get(machine.metadata.uid ?? '');
      if (!node || inPlaceReason(node) !== 'ReadyForUpdate' || this.#given.has(machine.metadata.uid ?? '')) continue;
      if (this.next.silent > 0) {
        this.next.silent -= 1;
        this.#given.add(machine.metadata.uid ?? '');
        continue;
      }
      const result = this.next.failing > 0 ? 'failed' : 'successful';
      if (result === 'failed') this.next.failing -= 1;
      this.#herd.changeNode(machine, { labels: { [LABEL_UPDATE_RESULT]: result } });
    }
  }

  /** How Nodes stand that are not as they were before. */
  left(): string {
    const nodes = [...(this.#herd.nodes?.values() ?? [])].map(({ metadata: { labels, annotations }, spec }) =>
      [
        ...Object.keys(labels ?? {}).flatMap((key) => MARKS[key] ?? []),
        ...Object.keys(annotations ?? {}).filter((key) => /cordoned|scale-down-disabled$|failed|update-for/.test(key)),
        ...(spec?.taints ?? []).map(({ effect }) => effect),
        ...(spec?.unschedulable ? ['cordoned'] : []),
      ].join(' '),
    );
    const marked = nodes.filter((marks) => marks !== '').toSorted();
    return `Nodes: ${nodes.length - marked.length} as before${marked.map((marks) => `, one with ${marks}`).join('')}`;
  }
}
