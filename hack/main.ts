import { type Run, runCommand } from './lib/command.ts';

/**
 * Every command of this folder: `./hack/up` and the other scripts, and what `bun run` runs, come here with its name. A command is
 * loaded when it is run, so that nobody pays for the others.
 */
const commands: Readonly<Record<string, () => Promise<{ run: Run }>>> = {
  attach: () => import('./commands/attach.ts'),
  check: () => import('./commands/check.ts'),
  cluster: () => import('./commands/cluster.ts'),
  down: () => import('./commands/down.ts'),
  e2e: () => import('./commands/e2e.ts'),
  generate: () => import('./commands/generate.ts'),
  image: () => import('./commands/image.ts'),
  mutations: () => import('./commands/mutations.ts'),
  simulate: () => import('./commands/simulate.ts'),
  test: () => import('./commands/test.ts'),
  up: () => import('./commands/up.ts'),
};

const [name = '', ...words] = process.argv.slice(2);
const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (!load) {
  process.stderr.write(`hack/main.ts knows no command "${name}"; there are ${Object.keys(commands).join(', ')}\n`);
  process.exit(2);
}
process.exit(await runCommand((await load()).run, words));
