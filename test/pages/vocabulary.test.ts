import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { ReasonRow } from '../../controller/flow/flow.ts';
import { reasons as machineReasons } from '../../controller/machine/flow/reasons.ts';
import { classReasons, secretReasons } from '../../controller/machineclass/flow.ts';
import { reasons as deploymentReasons } from '../../controller/machinedeployment/flow/reasons.ts';
import { reasons as setReasons } from '../../controller/machineset/flow/reasons.ts';
import { flags, names, valuePaths } from './vocabulary.ts';

const ROOT = join(import.meta.dir, '../..');

const pages = [
  'README.md',
  'SECURITY.md',
  'charts/drover/ALERTS.md',
  'charts/drover/GUIDE.md',
  'charts/drover/MIGRATION.md',
  'charts/drover/OPERATIONS.md',
  'charts/drover/TROUBLESHOOTING.md',
];

/** Words of code in the prose of a page: what stands between two back-ticks. */
const wordsOf = async (page: string): Promise<string[]> => wordsIn(await Bun.file(join(ROOT, page)).text());

function wordsIn(text: string): string[] {
  const prose = text.replaceAll(/^```.*?^```$/gms, '');
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word);
}

test.each(pages)('%s names steps, reasons, events and alerts that there are', async (page) => {
  const told = (await wordsOf(page)).filter((word) => /^[A-Z][a-z]+([A-Z][a-z]+)*$/.test(word));
  expect(told.filter((word) => !names.has(word))).toEqual([]);
});

/** Flags of other programs. */
const OTHERS = new Set([
  '--reset-then-reuse-values',
  '--reuse-values',
  '--take-ownership',
  '--force-conflicts',
  '--replicas',
  '--k8s',
  '--no-herd',
  '--control-plane-only',
  '--version',
  '--help',
]);

test.each(pages)('%s names flags that there are', async (page) => {
  const told = (await wordsOf(page)).flatMap((word) => /^(--[a-z0-9-]+)(=|$| [A-Z])/.exec(word)?.[1] ?? []);
  expect(told.filter((flag) => !flags.has(flag) && !OTHERS.has(flag))).toEqual([]);
});

/** Values that are handed on to Kubernetes as they are. */
const FREE = /^(controller|webhook)\.(resources|podTemplate)\./;

test.each(pages)('%s names values that the chart has', async (page) => {
  const tops = [...valuePaths].filter((path) => !path.includes('.')).join('|');
  const value = new RegExp(`(?:^|--set )((?:${tops})\\.[a-zA-Z.]+)`);
  const told = (await wordsOf(page)).flatMap((word) => value.exec(word)?.[1] ?? []);
  expect(told.filter((path) => !valuePaths.has(path) && !FREE.test(path))).toEqual([]);
});

test('words are really found', async () => {
  const words = await wordsOf('charts/drover/TROUBLESHOOTING.md');
  expect(words).toEqual(
    expect.arrayContaining(['WaitingForPreDrainHook', '--resource-exhausted-retry', 'controller.namespace']),
  );
});

/** What stands in the table of objects that do not go away, and nowhere else (hack/decisions/0051 U51). */
async function wordsOfStaying(): Promise<ReadonlySet<string>> {
  const text = await Bun.file(join(ROOT, 'charts/drover/TROUBLESHOOTING.md')).text();
  const [, section = ''] = text.split('\n## An object does not go away\n');
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  return new Set(wordsIn(rows.join('\n')));
}

// hack/decisions/0051 U39
test('for what a class or Secret waits that is being deleted stands on the page on what does not go away', async () => {
  const words = await wordsOfStaying();
  const told = Object.entries({ ...classReasons, ...secretReasons }).filter(([, row]) => 'event' in row);
  expect(told.map(([reason]) => reason).filter((reason) => !words.has(reason))).toEqual([]);
});

// hack/decisions/0051 U48
test('for what a machine or its owner waits that is being deleted until somebody acts stands there, too', async () => {
  const words = await wordsOfStaying();
  const rows: Array<[string, ReasonRow]> = [machineReasons, setReasons, deploymentReasons].flatMap((table) =>
    Object.entries(table),
  );
  const staying = rows.filter(([, { stays }]) => stays).map(([reason]) => reason);
  expect(staying).toContain('DeletionCheckPending');
  expect(staying.filter((reason) => !words.has(reason))).toEqual([]);
});

// hack/decisions/0051 U47: events of events.k8s.io have none, and kubectl puts them in the order of their names.
test.each(pages)('%s sorts no events by a time that ours do not have', async (page) => {
  expect(await Bun.file(join(ROOT, page)).text()).not.toContain('.lastTimestamp');
});
