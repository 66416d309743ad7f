import { join } from 'node:path';
import { locked } from '../../hack/lock.ts';
import { build } from '../../hack/tools/build.ts';
import { cached, cacheFolder, install } from '../../hack/tools/cache.ts';
import { run } from '../../hack/tools/run.ts';
import type { Tool } from '../../hack/tools/table.ts';

const SOURCES = join(import.meta.dir, 'goclient');
const NAME = 'goclient';

/** Whether the program can be built here. */
export const canBuildGo = Bun.which('go') !== null;

/** Writes with MCM's own Go types. */
export interface GoClient {
  /** Does a deed (see goclient/main.go) in a namespace, and returns what the API server warned of. Throws when refused. */
  run(namespace: string, ...deed: string[]): Promise<string[]>;
}

/** Builds the program, unless an earlier run built it from the same sources, to be run with this kubeconfig. */
export async function goClient(kubeconfig: string): Promise<GoClient> {
  const program = await built();
  return {
    async run(namespace, ...deed) {
      const printed = await run([program, kubeconfig, namespace, ...deed]);
      return printed.split('\n').filter(Boolean);
    },
  };
}

async function built(): Promise<string> {
  const cache = cacheFolder(process.env);
  const tool: Tool = { name: NAME, version: await sourcesHash(), programs: [NAME] };
  return locked({ file: join(cache, 'lock') }, async () => {
    const make = (folder: string) => build({ module: '../../test/api/goclient', main: '.' }, join(folder, NAME));
    if (!cached(cache, [tool], NAME)) await install(cache, tool, make);
    return join(cache, tool.name, tool.version, NAME);
  });
}

async function sourcesHash(): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256');
  for (const file of ['go.mod', 'go.sum', 'main.go']) hash.update(await Bun.file(join(SOURCES, file)).text());
  return hash.digest('hex').slice(0, 16);
}
