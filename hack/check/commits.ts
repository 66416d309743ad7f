import type { Finding } from './source.ts';

/** What a line of `git log --oneline` has room for. */
const MOST_CHARACTERS = 72;

/** Since when it is asked for; commits before it are as they are. A time, and no commit, for a shallow clone lacks that. */
const SINCE = '2026-11-23T08:00:00Z';

/** Finds subjects of commits that are too long. @param log lines of a hash, a space and a subject */
export const commitsLint = (log: string): Finding[] =>
  log.split('\n').flatMap((line) => {
    const [hash = '', ...words] = line.split(' ');
    const { length } = [...words.join(' ')];
    if (length <= MOST_CHARACTERS) return [];
    const message = `the subject has ${length} characters, at most ${MOST_CHARACTERS} can be read in a list: say the rest in the body`;
    return [{ path: `commit ${hash}`, line: 1, message }];
  });

/** The commits to look at, as far as this clone has them; none where git cannot tell. */
export const readLog = (): Promise<string> =>
  Bun.$`git log --no-merges --since=${SINCE} --format=${'%h %s'}`.quiet().nothrow().text();
