import { asksFor, type Given, parseSettings } from '../config.ts';
import { type Flag, flagsOf, type Program } from './program.ts';

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

/** What `--help` prints. */
export function helpText(program: Program<unknown>): string {
  const flags = flagsOf(program).map(paragraph);
  return [
    program.description,
    `Usage: ${program.start} [--flag=value ...]`,
    'Each flag may as well be given as the environment variable beside it; the flag wins.',
    ...flags,
    '  --help, --version\n      Print this text, or the version, and end.',
  ].join('\n\n');
}

function paragraph({ flag, takes, env, description, fallback }: Flag): string {
  const ending = fallback === '' ? '' : ` (default ${fallback})`;
  return `  --${flag} <${takes}>  ${env}\n      ${description}${ending}`;
}
