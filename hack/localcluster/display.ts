import type { Node } from '../../controller/runtime/k8s/core.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { Screen } from '../lib/progress.ts';

/** Shows rows again each time they have changed. */
export type Display = (rows: readonly Row[], seconds: number) => void;

/** A terminal is not scrolled: of more machines than this the first ones that are not done are shown. */
const MOST_ROWS = 12;

/** The display that suits the screen: on a terminal a table drawn anew, elsewhere a line for each change. */
export const displayOn = (screen: Screen): Display => (screen.isTTY ? tableOn(screen) : linesOn(screen));

function linesOn(screen: Screen): Display {
  const shown = new Map<string, string>();
  return (rows, seconds) => {
    for (const row of rows) {
      const text = line(row);
      if (shown.get(row.machine) !== text) screen.write(`${seconds.toFixed(1).padStart(6)} s  ${text}\n`);
      shown.set(row.machine, text);
    }
    for (const machine of shown.keys()) {
      if (rows.some((row) => row.machine === machine)) continue;
      screen.write(`${seconds.toFixed(1).padStart(6)} s  ${machine}  gone\n`);
      shown.delete(machine);
    }
  };
}

function tableOn(screen: Screen): Display {
  let height = 0;
  return (rows, seconds) => {
    const lines = [summary(rows, seconds), ...shownOf(rows).map((row) => `  ${line(row)}`)];
    const width = screen.columns || Number.POSITIVE_INFINITY; // A line that wraps would be two lines.
    const up = height > 0 ? `\x1b[${height}A` : '';
    screen.write(`${up}\x1b[0J${lines.map((text) => text.slice(0, width)).join('\n')}\n`);
    height = lines.length;
  };
}

function shownOf(rows: readonly Row[]): Row[] {
  const undone = rows.filter(({ phase, node }) => phase !== 'Running' || node !== 'ready');
  return (rows.length <= MOST_ROWS ? [...rows] : undone).slice(0, MOST_ROWS);
}

function summary(rows: readonly Row[], seconds: number): string {
  const running = rows.filter(({ phase }) => phase === 'Running').length;
  const ready = rows.filter(({ node }) => node === 'ready').length;
  return `${rows.length} machines, ${running} Running, ${ready} Nodes ready, ${seconds.toFixed(1)} s`;
}

const line = ({ machine, phase, node, reason }: Row): string =>
  `${machine}  ${phase.padEnd(11)}  node ${node.padEnd(9)}  ${reason}`.trimEnd();

/** One machine as people look at it. */
export interface Row {
  machine: string;
  /** Its phase; `Creating` while it has none, `Deleting` as soon as it is being deleted. */
  phase: string;
  /** What the controller waits for or does. */
  reason: string;
  node: 'none' | 'not ready' | 'ready';
}

/** The rows of all machines, by name. `nodes` finds a Node by its name. */
export const rowsOf = (machines: readonly Machine[], nodes: (name: string) => Node | undefined): Row[] =>
  machines
    .map((machine) => rowOf(machine, nodes(machine.status?.nodeRef?.name ?? machine.metadata.name)))
    .sort((one, other) => one.machine.localeCompare(other.machine));

function rowOf({ metadata, status }: Machine, node: Node | undefined): Row {
  const phase = status?.currentStatus?.phase || 'Creating';
  return {
    machine: metadata.name,
    phase: metadata.deletionTimestamp ? 'Deleting' : phase,
    reason: status?.currentStep?.reason ?? '',
    node: node === undefined ? 'none' : isReady(node) ? 'ready' : 'not ready',
  };
}

const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

/** Whether the herd has as many machines as it shall have, and each does its work. */
export const isComplete = (rows: readonly Row[], wanted: number): boolean =>
  rows.length === wanted && rows.every(({ phase, node }) => phase === 'Running' && node === 'ready');
