import type { Row } from './row.ts';

const DEPLOYMENT = 'controller/machinedeployment';
const DRAIN = 'controller/drain';
const MACHINE = 'controller/machine';
const SET = 'controller/machineset';

/** What was mended after the reviews, by the finding of hack/decisions/0051. */
export const ofLater: readonly Row[] = [
  [
    'L8',
    'controller/placing.ts',
    '(fact.missingFrom ?? Infinity) - now',
    '(now < 0 ? now : Infinity)',
    'controller/placing.test.ts',
  ],
  [
    'L27',
    'controller/drivers/virtual/simulator.ts',
    '(deletionGracePeriodSeconds !== 0 || !this.#ended.has(uid))',
    '(deletionGracePeriodSeconds !== 0 || this.#ended.has(uid))',
    'controller/drivers/virtual/podends.test.ts',
  ],
  [
    'L30',
    `${DRAIN}/observe.ts`,
    'Math.max(wall(moment), clocksFrom);',
    'Math.max(wall(moment), clocksFrom * 0);',
    `${DRAIN}/volumes.test.ts`,
    `${DRAIN}/strays.test.ts`,
  ],
  [
    'L36',
    `${MACHINE}/detaching.ts`,
    '!byForce || (spares && drain.attachments?.some(({ unsure }) => unsure));',
    '!byForce;',
    `${MACHINE}/detaching.test.ts`,
  ],
  ['L37', `${DRAIN}/strays.ts`, 'new Set(isOpen || ', 'new Set(', `${DRAIN}/strays.test.ts`],
  [
    'L38',
    `${MACHINE}/clocks.ts`,
    'if (waited !== undefined) return Math.max(waited, recordedFrom(machine))',
    'if (waited !== undefined) return waited + (view.drain?.limits.detachMs ?? 0)',
    `${MACHINE}/outage.test.ts`,
  ],
  [
    'L39',
    `${DRAIN}/observe.ts`,
    'claims.length > 0 && !memory.request.volumesUnawaited',
    'claims.length > 0',
    `${DRAIN}/volumes.test.ts`,
  ],
  [
    'L46',
    `${DEPLOYMENT}/marking.ts`,
    'victims.slice(0, end < 0 ? victims.length : end);',
    'victims.slice(0, end < 0 ? end : victims.length);',
    `${DEPLOYMENT}/marking.test.ts`,
  ],
  [
    'L47',
    'controller/safety/orphans/nodeeffects.ts',
    'target.nodes.list().map(readOrphanRecord)',
    'target.nodes.list().slice(0, 0).map(readOrphanRecord)',
    'controller/safety/orphans/successor.test.ts',
  ],
  [
    'L48',
    `${MACHINE}/tokens.ts`,
    'this.#unseen.of(target, machine) ?? firstOf(',
    'firstOf(',
    `${MACHINE}/unseentokens.test.ts`,
  ],
  [
    'L49',
    `${SET}/controller.ts`,
    "if (action.do === 'create') memory.failures.delete('FailedCreate');",
    'memory.failures.clear();',
    `${SET}/failing.test.ts`,
  ],
  [
    'L50',
    `${MACHINE}/nodesync.ts`,
    "const isRefused = answer.kind === 'act' && view.refused.has(writeKey('Synced', answer.action));",
    "const isRefused = answer.kind === 'act' && view.refused.has('Synced');",
    `${MACHINE}/notkept.test.ts`,
    `${MACHINE}/nodesync.test.ts`,
  ],
  [
    'L51',
    `${SET}/controller.ts`,
    'LOSING.has(action.do) ? await this.#renewed(view) : view;',
    'LOSING.size > 99 ? await this.#renewed(view) : view;',
    `${SET}/unreleased.test.ts`,
  ],
  ['S25', 'schemas/same.ts', 'value === undefined || value === null', 'value === undefined', 'controller/hash.test.ts'],
  ['S26', 'controller/naming.ts', "count === 1 ? '' : 's'", "count < 1 ? '' : 's'", 'controller/naming.test.ts'],
  ['S27', 'controller/childrenleft.ts', 'if (refused > 0)', 'if (refused < 0)', 'controller/childrenleft.test.ts'],
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
];
