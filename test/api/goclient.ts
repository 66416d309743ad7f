import { join } from 'node:path';
import { builtGo } from '../../hack/tools/gomodule.ts';
import { run } from '../../hack/tools/run.ts';

/** Writes with MCM's own Go types. */
export interface GoClient {
  /** Does a deed (see goclient/main.go) in a namespace, and returns what the API server warned of. Throws when refused. */
  run(namespace: string, ...deed: string[]): Promise<string[]>;
}

/** Builds the program, unless an earlier run built it from the same sources, to be run with this kubeconfig. */
export async function goClient(kubeconfig: string): Promise<GoClient> {
  const program = await builtGo({ name: 'goclient', folder: join(import.meta.dir, 'goclient') });
  return {
    async run(namespace, ...deed) {
      const printed = await run([program, kubeconfig, namespace, ...deed]);
      return printed.split('\n').filter(Boolean);
    },
  };
}
