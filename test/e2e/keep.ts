import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sentences } from '../../hack/lib/sentences.ts';
import type { Terminal } from './terminal.ts';

/** A pod of Drover, with the port of its metrics. */
interface Pod {
  namespace: string;
  name: string;
  component: string;
}

const KINDS =
  'machinedeployments.machine.sapcloud.io,machinesets.machine.sapcloud.io,machines.machine.sapcloud.io,machineclasses.machine.sapcloud.io,clusters.drover.dev';
const OURS = 'app.kubernetes.io/name=drover';
const PODS =
  'jsonpath={range .items[*]}{.metadata.namespace}{" "}{.metadata.name}{" "}{.metadata.labels.app\\.kubernetes\\.io/component}{"\\n"}{end}';
/** Where the API server finds the metrics of each component. */
const METRICS: Readonly<Record<string, (pod: string) => string>> = {
  controller: (pod) => `http:${pod}:10258`,
  webhook: (pod) => `https:${pod}:9443`,
};

/** Files and the commands whose output they hold. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'machines.yaml': ['get', KINDS, '-A', '-o', 'yaml'],
  'machines.txt': ['get', KINDS, '-A', '-o', 'wide'],
  'namespace.yaml': ['get', 'all,configmaps,pvc,leases', '-o', 'yaml'],
  'vms.yaml': ['get', 'configmaps', '-n', 'drover-virtual-cloud', '-o', 'yaml'],
  'drover.yaml': ['get', 'all,configmaps,poddisruptionbudgets,networkpolicies,leases', '-A', '-l', OURS, '-o', 'yaml'],
  'webhooks.yaml': ['get', 'validatingwebhookconfigurations,mutatingwebhookconfigurations', '-o', 'yaml'],
  'crds.yaml': ['get', 'crds', '-o', 'yaml'],
  'events.txt': ['get', 'events', '-A', '--sort-by=.metadata.creationTimestamp'],
  'pods.txt': ['get', 'pods', '-A', '-o', 'wide'],
  'described-pods.txt': ['describe', 'pods', '-A'],
  'described-nodes.txt': ['describe', 'nodes'],
};

/** Where what is seen goes, and what is known without looking. */
export interface Kept {
  folder: string;
  /** What the case typed, and what came back. */
  transcript: string;
}

/**
 * Keeps in a folder of its own everything that can be seen of a failed case: objects, events, descriptions, the logs of
 * both programs, also of their pods' earlier lives, their metrics, and all that the case typed. What cannot be read is
 * told in its file.
 */
export async function keepAll(terminal: Terminal, { folder, transcript }: Kept): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Bun.write(join(folder, 'commands.txt'), transcript);
  const files = { ...COMMANDS, ...logsAndMetrics(await droverPods(terminal)) };
  for (const [file, args] of Object.entries(files)) await Bun.write(join(folder, file), await said(terminal, args));
}

async function said(terminal: Terminal, args: readonly string[]): Promise<string> {
  try {
    const { stdout, stderr } = await terminal.tryKubectl(args);
    return `${stdout}${stderr}`;
  } catch (error) {
    return `kubectl ${args.join(' ')} could not be run: ${sentences(error)}\n`;
  }
}

async function droverPods(terminal: Terminal): Promise<Pod[]> {
  const shown = await said(terminal, ['get', 'pods', '-A', '-l', OURS, '-o', PODS]);
  return shown.split('\n').flatMap((line) => {
    const [namespace, name, component] = line.split(' ');
    return namespace && name && component && component in METRICS ? [{ namespace, name, component }] : [];
  });
}

function logsAndMetrics(pods: readonly Pod[]): Record<string, readonly string[]> {
  const files = pods.flatMap(({ namespace, name, component }): Array<[string, readonly string[]]> => {
    const logs = ['logs', '-n', namespace, name, '--all-containers', '--timestamps'];
    const path = `/api/v1/namespaces/${namespace}/pods/${METRICS[component]?.(name)}/proxy/metrics`;
    return [
      [`${namespace}-${name}.log`, logs],
      [`${namespace}-${name}.previous.log`, [...logs, '--previous']],
      [`${namespace}-${name}.metrics.txt`, ['get', '--raw', path]],
    ];
  });
  return Object.fromEntries(files);
}
