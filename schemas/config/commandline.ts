import { asksFor, type Given, parseSettings } from '../config.ts';
import { helpText } from './help.ts';
import type { Program } from './program.ts';

/** What a program does with its command line: work with these settings, or print a text and end. */
export type Command<T> =
  | { run: true; settings: T; warnings: string[] }
  /** Code 0 for an answer (to stdout), 2 for findings (to stderr). */
  | { run: false; text: string; exitCode: 0 | 2 };

/** Reads the command line and the environment of a program; its version is asked for only if it is to be printed. */
export function readCommand<T>(program: Program<T>, given: Given, version: () => string): Command<T> {
  const asked = asksFor(given.args);
  if (asked === 'help') return { run: false, text: helpText(program), exitCode: 0 };
  if (asked === 'version') return { run: false, text: version(), exitCode: 0 };
  const parsed = parseSettings(program, given);
  if (!parsed.ok) return { run: false, text: parsed.findings.join('\n'), exitCode: 2 };
  return { run: true, settings: parsed.settings, warnings: parsed.warnings };
}
