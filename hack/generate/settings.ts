import { checkProgram } from '../../schemas/config/check.ts';
import { controllerProgram } from '../../schemas/config/controller.ts';
import { type Flag, flagsOf, type Program } from '../../schemas/config/program.ts';
import { webhookProgram } from '../../schemas/config/webhook.ts';
import { refusedNetworks } from '../../schemas/refusednetworks.ts';
import { type Generated, notice } from './generated.ts';
import { markdownTable } from './markdown.ts';

/** schemas/SETTINGS.md: every flag of all programs. */
export const settings = (): Generated[] => [
  {
    path: 'schemas/SETTINGS.md',
    content: `${[
      introduction,
      chapter('Controller', controllerProgram),
      refused,
      chapter('Webhook', webhookProgram),
      chapter('Check', checkProgram),
    ].join('\n\n')}\n`,
  },
];

const introduction = `# Settings

<!-- ${notice('config/ in this folder')} -->

Each setting is a flag, \`--flag=value\` or \`--flag value\`, or an environment variable; the flag wins over the variable,
the variable over the default. An empty variable counts as absent. An unknown flag or a bad value ends the program with
code 2 and a sentence for each. \`--help\` prints this list, \`--version\` the version.

A **duration** is written as Go writes it: \`90s\`, \`1h30m\`, \`500ms\`; only 0 needs no unit.`;

const refused = `### Refused addresses

At these addresses a kubeconfig of a Cluster may have no server, be it by name or as IPv4 inside of IPv6, unless \`--cluster-server-allow\` lists it.

${markdownTable(
  ['addresses', 'networks'],
  refusedNetworks.map(({ all, networks }) => [all, networks.map((one) => `\`${one}\``).join(', ')]),
)}`;

function chapter(title: string, program: Program<unknown>): string {
  const table = markdownTable(['flag', 'takes', 'default', 'variable', 'meaning'], flagsOf(program).map(row));
  return [`## ${title}`, `\`${program.start}\`. ${program.description}`, table, ...ignored(program)].join('\n\n');
}

const row = ({ flag, takes, fallback, env, description }: Flag): string[] => [
  `\`--${flag}\``,
  takes,
  fallback === '' ? '' : `\`${fallback}\``,
  `\`${env}\``,
  description,
];

function ignored(program: Program<unknown>): string[] {
  if (program.ignored.length === 0) return [];
  return [
    "These flags of Gardener's machine-controller-manager are taken with a warning, so that its arguments work unchanged:",
    markdownTable(
      ['flag', 'why it has no effect'],
      program.ignored.map(({ flag, why }) => [`\`--${flag}\``, why]),
    ),
  ];
}
