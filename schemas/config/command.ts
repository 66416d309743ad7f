import { asksFor, type Given, parseSettings } from '../config.ts';
import { helpText } from './help.ts';
import type { Program } from './program.ts';

/** What a program is to do with its command line: run, or print something and end with an exit code. */
export type Command<T> =
  | { do: 'run'; settings: T; warnings: string[] }
  | { do: 'print'; text: string; exitCode: number };

/** Reads a program's command line: `--help`, `--version`, settings, or every reason why there are none (exit code 2). */
export function readCommand<T>(program: Program<T>, given: Given & { version: string }): Command<T> {
  const asked = asksFor(given.args);
  if (asked === 'help') return { do: 'print', text: helpText(program), exitCode: 0 };
  if (asked === 'version') return { do: 'print', text: given.version, exitCode: 0 };
  const parsed = parseSettings(program, given);
  if (parsed.ok) return { do: 'run', settings: parsed.settings, warnings: parsed.warnings };
  const advice = `See ${program.start} --help.`;
  return { do: 'print', text: [...parsed.findings, advice].join('\n'), exitCode: 2 };
}
