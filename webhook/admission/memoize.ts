/** So many answers are kept; then all are forgotten, so that strange texts cannot fill the memory. */
const MOST_ANSWERS = 10_000;
/** Answers for longer texts are not kept. */
const MOST_LENGTH = 512;

/** Caches the answers of a pure function of a text. */
export function memoize(ask: (text: string) => boolean): (text: string) => boolean {
  const answers = new Map<string, boolean>();
  return (text) => {
    const known = answers.get(text);
    if (known !== undefined) return known;
    const answer = ask(text);
    if (answers.size >= MOST_ANSWERS) answers.clear();
    if (text.length <= MOST_LENGTH) answers.set(text, answer);
    return answer;
  };
}
