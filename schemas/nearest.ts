/** A text that is longer is nobody's slip of the pen; what it takes to compare grows with its length. */
const LONGEST = 64;

/** The word of `words` that a misspelt one probably stands for: at most a third of its letters away, else undefined. */
export function nearest(misspelt: string, words: readonly string[]): string | undefined {
  if (misspelt.length > LONGEST) return undefined;
  let best: string | undefined;
  let least = Math.floor(misspelt.length / 3) + 1;
  for (const word of words) {
    const edits = distance(misspelt, word);
    if (edits < least) [best, least] = [word, edits];
  }
  return best;
}

/** How many letters must be put in, left out, changed, or swapped with the next one (optimal string alignment). */
function distance(from: string, to: string): number {
  let above: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const changed = (row[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      const swapped = isSwap({ from, to, line, column }) ? (above[column - 2] ?? 0) + 1 : changed;
      next.push(Math.min(changed, swapped, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    [above, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}

/** Whether the two letters that end at these places are the same, the other way round. */
const isSwap = ({ from, to, line, column }: { from: string; to: string; line: number; column: number }): boolean =>
  line > 1 && column > 1 && from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1];
