import { delimiter, join } from 'node:path';
import { NAMESPACE } from '../../schemas/access.ts';
import { readFlags } from '../lib/flags.ts';

/** Which Deployment, and how its cluster is reached. */
export interface AttachOptions {
  namespace: string;
  /** Absent: the one that carries the labels of Drover's controller. */
  deployment?: string;
  /** Path of the user's own kubeconfig; absent: as kubectl finds it. */
  kubeconfig?: string;
  /** Path of a kubeconfig in place of the one that the Deployment mounts for its target cluster. */
  targetKubeconfig?: string;
  /** Flags for the controller that win over the Deployment's. */
  flags: string[];
}

/** What `./hack/attach` is asked for. */
export type Asked =
  | { do: 'attach'; options: AttachOptions }
  | { do: 'restore'; options: AttachOptions }
  | { do: 'help' }
  | { do: 'refuse'; why: string };

const FLAGS = {
  namespace: { type: 'string', short: 'n' },
  deployment: { type: 'string' },
  kubeconfig: { type: 'string' },
  'target-kubeconfig': { type: 'string' },
  restore: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** The text of `./hack/attach --help`. */
export const help = `./hack/attach: runs the controller of this working tree against a cluster, in place of the deployed one.
The Deployment is scaled to 0 and remembers its replicas in an annotation. The controller here runs with its arguments,
and as its ServiceAccount, so with its rights. When it ends, by Ctrl-C or otherwise, the Deployment is put back.

  -n, --namespace NAME     of the Deployment (${NAMESPACE})
  --deployment NAME        for example machine-controller-manager (the one of Drover's controller)
  --kubeconfig FILE        yours, of the cluster in which the Deployment is (as kubectl finds it)
  --target-kubeconfig FILE  in place of what the Deployment mounts
  --restore                only put the Deployment back, after a call that could not
  --help                   this text
  -- --FLAG=VALUE …        more flags for the controller; they win over the Deployment's
`;

/** Reads the words after `./hack/attach`. */
export function readOptions(words: readonly string[]): Asked {
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const { values, wrong } = readFlags(words.slice(0, end), FLAGS, '; flags of the controller go behind --');
  if (values.help) return { do: 'help' };
  if (wrong !== undefined) return refuse(wrong);
  const { namespace = NAMESPACE, deployment, kubeconfig, 'target-kubeconfig': targetKubeconfig } = values;
  const given = Object.entries({ deployment, kubeconfig, targetKubeconfig }).filter(([, value]) => value !== undefined);
  const flags = words.slice(end + 1);
  const options = { namespace, flags, ...Object.fromEntries(given) };
  if (!values.restore) return { do: 'attach', options };
  return flags.length > 0 ? refuse('starts no controller with --restore') : { do: 'restore', options };
}

const refuse = (why: string): Asked => ({ do: 'refuse', why: `./hack/attach ${why}; see ./hack/attach --help` });

/** The user's own kubeconfig: the one that was given, or where kubectl looks. Throws a sentence for several, which are not merged. */
export function ownKubeconfig(given: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  if (given !== undefined) return given;
  const files = (env['KUBECONFIG'] ?? '').split(delimiter).filter(Boolean);
  if (files.length > 1) throw new Error('KUBECONFIG names several files: give one by --kubeconfig');
  return files[0] ?? join(env['HOME'] ?? '/', '.kube/config');
}
