import type { Screen } from '../progress.ts';
import type { Row } from './rows.ts';

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
