import type { Finding } from './source.ts';

/** A program file longer than this is split; the median should stay below 80. */
const MOST_LINES = 300;

const PROGRAM = /\.(?:ts|sh)$/;

/** Lines of a text, the empty rest after the last line break not counted. */
export const lineCount = (text: string): number => text.replace(/\n$/, '').split('\n').length;

/** Finds program files that are too long. */
export function sizeLint({ path, text }: { path: string; text: string }): Finding[] {
  const lines = lineCount(text);
  if (!PROGRAM.test(path) || lines <= MOST_LINES) return [];
  return [{ path, line: MOST_LINES + 1, says: `${lines} lines are more than ${MOST_LINES}: split the file` }];
}
