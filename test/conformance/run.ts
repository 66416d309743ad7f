import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * `bun test/conformance/run.ts --control-kubeconfig FILE`: puts the virtual driver to the test on a cluster of one's
 * own. Nodes of other virtual machines in that cluster are told to have lost their VMs, so take one without a Drover.
 */

const usage = 'say which cluster: bun test/conformance/run.ts --control-kubeconfig FILE';

function refuse(why: string): never {
  console.error(why);
  process.exit(2);
}

function kubeconfigFromArgs(): string {
  try {
    const { values } = parseArgs({ options: { 'control-kubeconfig': { type: 'string' } } });
    return values['control-kubeconfig'] ?? refuse(usage);
  } catch (error) {
    return refuse(`${error instanceof Error ? error.message : error}; ${usage}`);
  }
}

const kubeconfig = kubeconfigFromArgs();
const tests = Bun.spawn([process.execPath, 'test', '--timeout=60000', join(import.meta.dir, 'virtual.test.ts')], {
  env: { ...process.env, DROVER_CONFORMANCE_KUBECONFIG: kubeconfig },
  stdio: ['ignore', 'inherit', 'inherit'],
});
process.exit(await tests.exited);
