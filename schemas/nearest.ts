/** The word of `words` that a misspelt one probably stands for: at most a third of its letters away, else undefined. */
export function nearest(misspelt: string, words: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.floor(misspelt.length / 3) + 1;
  for (const word of words) {
    const edits = distance(misspelt, word);
    if (edits < least) [best, least] = [word, edits];
  }
  return best;
}

/** Levenshtein's distance: how many letters must be put in, left out or changed. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...to].entries()) {
      const changed = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
