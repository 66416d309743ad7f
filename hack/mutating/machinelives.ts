import type { Row } from './row.ts';

const MACHINE = 'controller/machine';
const DRAIN = 'controller/drain';

/** More of what was mended in a machine's life, by the finding of hack/decisions/0051. */
export const ofMachineLives: readonly Row[] = [
  [
    'L33',
    'controller/safety/orphans/deletions.ts',
    'for (const { order } of due) if',
    'for (const { order } of [...due].slice(0, 0)) if',
    'controller/safety/orphans/slowvm.test.ts',
  ],
  ['L34', `${MACHINE}/vmdoubt.ts`, "?.code === 'OutOfRange'", "?.code === 'Internal'", `${MACHINE}/vmdoubt.test.ts`],
  [
    'L35',
    `${MACHINE}/callmemory.ts`,
    "method === 'createMachine' && (abort",
    "method === 'updateMachine' && (abort",
    `${MACHINE}/callmemory.test.ts`,
  ],
  [
    'L65',
    `${MACHINE}/retaining.ts`,
    "vm.at === 'absent' && !isDoubted(view);",
    "vm.at === 'absent';",
    `${MACHINE}/retaining.test.ts`,
  ],
  ['L66', `${MACHINE}/vmdoubt.ts`, '(node.heard?.livedAt ?? 0) > deletion.at;', 'false;', `${MACHINE}/vmdoubt.test.ts`],
  ['L66', `${MACHINE}/leaving.ts`, 'age > UNHEARD_MS.joined :', 'false :', `${MACHINE}/asking.test.ts`],
  [
    'L68',
    `${MACHINE}/claiming.ts`,
    "vm.at === 'absent' ? deniedUnheard(view) : askVm(view);",
    "vm.at === 'absent' ? pass : askVm(view);",
    `${MACHINE}/deniedonce.test.ts`,
  ],
  [
    'L70',
    'controller/runtime/streak.ts',
    'error instanceof ApiError && count >= CHANCE.before',
    'error === undefined && count >= CHANCE.before',
    `${MACHINE}/longrefused.test.ts`,
  ],
  [
    'L71',
    'controller/refusals.ts',
    'SOON_MS * 2 ** count',
    'SOON_MS * 0 ** count',
    'controller/machineset/longrefused.test.ts',
  ],
  [
    'L72',
    'controller/runtime/following.ts',
    '(!fed || now - heardAt <= SILENT_MS)',
    '(!fed || heardAt <= now)',
    `${MACHINE}/unreadrules.test.ts`,
  ],
  [
    'L87',
    `${MACHINE}/effects.ts`,
    "retainMachine: 'harmless'",
    "retainMachine: 'destroys'",
    `${MACHINE}/effects.test.ts`,
  ],
  [
    'L88',
    `${DRAIN}/reasons.ts`,
    "The log of the controller says why.',\n    event: 'Warning',\n    blind: true,",
    "The log of the controller says why.',\n    event: 'Warning',",
    `${MACHINE}/draining.test.ts`,
  ],
  [
    'L89',
    `${MACHINE}/claiming.ts`,
    'view.calls.flying ? 0 : doubtLeft(view)',
    'doubtLeft(view)',
    `${MACHINE}/claiming.test.ts`,
  ],
  [
    'L89',
    `${MACHINE}/vmdoubt.ts`,
    'since + (mayLive(view) ? DOUBT_MS : VANISHED_MS)',
    'since + VANISHED_MS',
    `${MACHINE}/retaindenied.test.ts`,
  ],
  [
    'L89',
    'controller/safety/orphans/deletions.ts',
    'await noteDeletion(this.#parts, order);\n      await this.#call(order);',
    'await this.#call(order);\n      await noteDeletion(this.#parts, order);',
    'controller/safety/orphans/successor.test.ts',
  ],
  [
    'S24',
    `${MACHINE}/steptraits.ts`,
    "Wanted: { refused: 'passed' }",
    "Wanted: { refused: 'waits' }",
    `${MACHINE}/steptraits.test.ts`,
  ],
  [
    'S28',
    `${MACHINE}/steptraits.ts`,
    "Drained: { refused: 'itself', timed: true }",
    "Drained: { refused: 'itself' }",
    `${MACHINE}/steptraits.test.ts`,
  ],
  ['U11', `${MACHINE}/afterhook.ts`, '  status?.nodeRef !== undefined ||\n', '', `${MACHINE}/afterhook.test.ts`],
  [
    'U14',
    `${MACHINE}/detaching.ts`,
    'const isAwaited = !isExcluded(machine, EXCLUDE_VOLUME_WAIT);',
    'const isAwaited = true;',
    `${MACHINE}/excluding.test.ts`,
  ],
  [
    'U15',
    `${DRAIN}/rules.ts`,
    'Object.hasOwn(BY_LABEL, value) ? BY_LABEL[value] : undefined',
    "value !== '' ? 'Skip' : undefined",
    `${DRAIN}/rules.test.ts`,
  ],
];
