import type { Row } from './row.ts';

const DRAIN = 'controller/drain';
const MACHINE = 'controller/machine';
const SET = 'controller/machineset';

/** What was mended after the attacks on those mends, by the finding of hack/decisions/0051. */
export const ofAttacks: readonly Row[] = [
  [
    'S31',
    `${SET}/apply.ts`,
    'retryAfterMs, mayHaveActed: true, cause: error',
    'retryAfterMs, cause: error',
    `${SET}/blindsiblings.test.ts`,
  ],
  [
    'L52',
    `${MACHINE}/locating.ts`,
    'deletionBegun(view) && !isUnknownHeirloom(view)',
    'deletionBegun(view)',
    `${MACHINE}/locating.test.ts`,
  ],
  [
    'L60',
    `${DRAIN}/plan.ts`,
    '? UNSENT_MS : FORCED_MS',
    '? FORCED_MS : FORCED_MS',
    `${DRAIN}/plan.test.ts`,
    `${DRAIN}/starving.test.ts`,
  ],
  [
    'L73',
    'controller/placing.ts',
    "name !== '' && clusters.synced === true",
    "name === '' && clusters.synced === true",
    'controller/placing.test.ts',
  ],
  [
    'U27',
    `${SET}/trimming.ts`,
    'return now ? [{ ...machine, metadata: now.metadata }] : [];',
    'return now ? [machine] : [];',
    `${SET}/trimming.test.ts`,
  ],
  ['U27', `${SET}/controller.ts`, 'if (!choice) return', 'if (choice !== null) return', `${SET}/latemarks.test.ts`],
  [
    'S29',
    `${SET}/trimming.ts`,
    'view.set.metadata.labels?.[LABEL_SCALE_UP_DISABLED] !== undefined',
    "view.set.metadata.labels?.[LABEL_SCALE_UP_DISABLED] === ''",
    `${SET}/trimming.test.ts`,
  ],
  [
    'S30',
    `${SET}/reconcile.ts`,
    'if (unseen > 0) return wait',
    'if (unseen > 99) return wait',
    `${SET}/trimming.test.ts`,
  ],
  ['S36', 'controller/holding.ts', 'if (isOnlyKept(machine)) return false;', '', 'controller/holding.test.ts'],
  ['S36', `${MACHINE}/budget.ts`, 'return !isOnlyKept(other);', 'return true;', `${MACHINE}/budget.test.ts`],
  [
    'S36',
    'controller/machinedeployment/observe.ts',
    '.filter((machine) => !isOnlyKept(machine))',
    '',
    'controller/machinedeployment/observe.test.ts',
  ],
  [
    'S37',
    'controller/childrenleft.ts',
    'children.filter((child) => !isOnlyKept(child))',
    'children',
    'controller/childrenleft.test.ts',
  ],
  [
    'S37',
    'controller/childwrites.ts',
    'children.filter((child) => !isOnlyKept(child))',
    'children',
    'controller/childwrites.test.ts',
  ],
  [
    'L74',
    `${MACHINE}/vanished.ts`,
    'machine.status?.nodeRef !== undefined || node.at',
    "machine.status?.currentStatus?.phase === 'Available' || node.at",
    `${MACHINE}/youngvm.test.ts`,
  ],
  [
    'L75',
    `${MACHINE}/callmemory.ts`,
    "abort.signal.aborted || code === 'Canceled' || ",
    '',
    `${MACHINE}/callmemory.test.ts`,
    `${MACHINE}/falsedenial.test.ts`,
  ],
  [
    'L77',
    `${MACHINE}/leaving.ts`,
    "deletion.kind === 'act' && isUnheardOf(view)",
    'isUnheardOf(view)',
    `${MACHINE}/deletionline.test.ts`,
    `${MACHINE}/asking.test.ts`,
  ],
  [
    'L78',
    `${MACHINE}/carryout.ts`,
    'isNo ? now - (judgedSince ?? now) : 0',
    'now - before.since',
    `${MACHINE}/longrefused.test.ts`,
  ],
  [
    'L76',
    'controller/heartbeats.ts',
    '    this.#beats.clear();\n    this.#judge();\n',
    '    this.#beats.clear();\n',
    'controller/heartbeats.test.ts',
  ],
];
