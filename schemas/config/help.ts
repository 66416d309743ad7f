import { type Flag, flagsOf, type Program } from './program.ts';

/** What `--help` prints. */
export function helpText(program: Program<unknown>): string {
  const flags = flagsOf(program).map(paragraph);
  return [
    program.says,
    `Usage: ${program.start} [--flag=value ...]`,
    'Each flag may as well be given as the environment variable beside it; the flag wins.',
    ...flags,
    '  --help, --version\n      Print this text, or the version, and end.',
  ].join('\n\n');
}

function paragraph({ flag, takes, env, says, fallback }: Flag): string {
  const ending = fallback === '' ? '' : ` (default ${fallback})`;
  return `  --${flag} <${takes}>  ${env}\n      ${says}${ending}`;
}
