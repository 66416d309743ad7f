import type { Row } from './row.ts';

const DRAIN = 'controller/drain';
const MACHINE = 'controller/machine';
const SET = 'controller/machineset';

/** What was mended after the attacks on those mends, by the finding of hack/decisions/0051. */
export const ofAttacks: readonly Row[] = [
  [
    'S31',
    `${SET}/actions.ts`,
    'retryAfterMs, mayHaveActed: true, cause: error',
    'retryAfterMs, cause: error',
    `${SET}/blindsiblings.test.ts`,
  ],
  [
    'L52',
    `${MACHINE}/flow/deletion.ts`,
    'deletionBegun(view) && !isUnknownHeirloom(view)',
    'deletionBegun(view)',
    `${MACHINE}/flow/deletion.test.ts`,
  ],
  [
    'L60',
    `${DRAIN}/flow/plan.ts`,
    '? UNSENT_MS : FORCED_MS',
    '? FORCED_MS : FORCED_MS',
    `${DRAIN}/flow/plan.test.ts`,
    `${DRAIN}/starving.test.ts`,
  ],
  [
    'L73',
    'controller/model/readiness.ts',
    "name !== '' && clusters.synced === true",
    "name === '' && clusters.synced === true",
    'controller/model/readiness.test.ts',
  ],
  [
    'U27',
    `${SET}/flow/scaledown.ts`,
    'return now ? [{ ...machine, metadata: now.metadata }] : [];',
    'return now ? [machine] : [];',
    `${SET}/flow/scaledown.trimming.test.ts`,
  ],
  ['U27', `${SET}/controller.ts`, 'if (!choice) return', 'if (choice !== null) return', `${SET}/latemarks.test.ts`],
  [
    'S29',
    `${SET}/flow/scaledown.ts`,
    'view.set.metadata.labels?.[LABEL_SCALE_UP_DISABLED] !== undefined',
    "view.set.metadata.labels?.[LABEL_SCALE_UP_DISABLED] === ''",
    `${SET}/flow/scaledown.trimming.test.ts`,
  ],
  [
    'S30',
    `${SET}/flow/flow.ts`,
    'if (unseen > 0) return wait',
    'if (unseen > 99) return wait',
    `${SET}/flow/scaledown.trimming.test.ts`,
  ],
  [
    'S36',
    'controller/model/holding.ts',
    'if (isOnlyKept(machine)) return false;',
    '',
    'controller/model/holding.test.ts',
  ],
  [
    'S36',
    `${MACHINE}/flow/replacementbudget.ts`,
    'return !isOnlyKept(other);',
    'return true;',
    `${MACHINE}/flow/replacementbudget.test.ts`,
  ],
  [
    'S36',
    'controller/machinedeployment/observe.ts',
    '.filter((machine) => !isOnlyKept(machine))',
    '',
    'controller/machinedeployment/observe.test.ts',
  ],
  [
    'S37',
    'controller/model/holding.ts',
    'children.filter((child) => !isOnlyKept(child))',
    'children',
    'controller/model/holding.childrenleft.test.ts',
  ],
  [
    'S37',
    'controller/state/childwrites.ts',
    'children.filter((child) => !isOnlyKept(child))',
    'children',
    'controller/state/childwrites.test.ts',
  ],
  [
    'L74',
    `${MACHINE}/flow/predicates.ts`,
    'machine.status?.nodeRef !== undefined || node.at',
    "machine.status?.currentStatus?.phase === 'Available' || node.at",
    `${MACHINE}/youngvm.test.ts`,
  ],
  [
    'L75',
    `${MACHINE}/calls/failures.ts`,
    "abort.signal.aborted || code === 'Canceled' || ",
    '',
    `${MACHINE}/calls/failures.callmemory.test.ts`,
    `${MACHINE}/falsedenial.test.ts`,
  ],
  [
    'L77',
    `${MACHINE}/flow/flow.ts`,
    "deletion.kind === 'act' && isUnheardOf(view)",
    'isUnheardOf(view)',
    `${MACHINE}/calls/deletionline.test.ts`,
    `${MACHINE}/flow/asking.test.ts`,
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
    'controller/targets/heartbeats.ts',
    '    this.#beats.clear();\n    this.#judge();\n',
    '    this.#beats.clear();\n',
    'controller/targets/heartbeats.test.ts',
  ],
];
