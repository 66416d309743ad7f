import { release } from '../../controller/runtime/release.ts';
import { checkProgram } from '../../schemas/config/check.ts';
import { controllerProgram } from '../../schemas/config/controller.ts';
import { webhookProgram } from '../../schemas/config/webhook.ts';
import { asksFor, type Given } from '../../schemas/config.ts';
import { nearest } from '../../schemas/nearest.ts';

/** What a command line of `drover` asks for. */
export type Asked =
  | { do: 'run'; command: string; run: (given: Given, start: string) => Promise<number>; args: readonly string[] }
  /** Code 0 for an answer (to stdout), 2 for a mistake (to stderr). */
  | { do: 'print'; text: string; exitCode: 0 | 2 };

/** A command, and the program behind it: loaded when it is run, so that nobody pays for the other one. */
interface Command {
  description: string;
  load(): Promise<(given: Given, start: string) => Promise<number>>;
}

const commands: Readonly<Record<string, Command>> = {
  controller: {
    description: controllerProgram.description,
    load: async () => (await import('../../controller/run.ts')).runController,
  },
  webhook: {
    description: webhookProgram.description,
    load: async () => (await import('../../webhook/run.ts')).runWebhook,
  },
  check: {
    description: checkProgram.description,
    load: async () => (await import('../../webhook/selfcheck.ts')).runCheck,
  },
};

/** Reads the words after `drover`. */
export function readDrover([word, ...args]: readonly string[]): Asked {
  const command = word !== undefined && Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (command && word) {
    return { do: 'run', command: word, run: async (...given) => (await command.load())(...given), args };
  }
  const asks = word === undefined ? undefined : asksFor([word]);
  if (asks === 'version') return { do: 'print', text: release(), exitCode: 0 };
  if (asks === 'help' || word === 'help') return { do: 'print', text: help(), exitCode: 0 };
  return { do: 'print', text: complaint(word), exitCode: 2 };
}

const help = (): string =>
  [
    "Machines for Kubernetes, herded: Drover's programs.",
    'Usage: drover <command> [--flag=value ...]',
    Object.entries(commands)
      .map(([name, { description }]) => `  ${name.padEnd(12)}${description}`)
      .join('\n'),
    'drover <command> --help lists the flags of a command.',
    '  --help, --version\n      Print this text, or version, commit and platform, and end.',
  ].join('\n\n');

function complaint(word: string | undefined): string {
  const names = Object.keys(commands);
  if (word === undefined) return `drover needs a command: ${names.join(', ')}; see drover --help`;
  const meant = nearest(word, names);
  const advice = meant === undefined ? 'see drover --help' : `did you mean ${meant}?`;
  return `${JSON.stringify(word)} is not a command of drover; ${advice}`;
}
