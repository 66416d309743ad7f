import { type Read, readFlags } from '../lib/flags.ts';
import { kubernetesVersions, noSuchKubernetes } from '../tools/table.ts';

export interface UpOptions {
  /** Machines of the example herd; absent means as many as it has, or as the example says. */
  replicas?: number;
  /** A Kubernetes version of the table; absent means the one that wrote the data, or the default. */
  kubernetes?: string;
  /** How much to start; each includes what stands before it. */
  upTo: 'control plane' | 'programs' | 'herd';
}

export type Asked = { do: 'up'; options: UpOptions } | { do: 'help' } | { do: 'refuse'; why: string };

const FLAGS = {
  replicas: { type: 'string' },
  k8s: { type: 'string' },
  'no-herd': { type: 'boolean' },
  'control-plane-only': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const MOST_REPLICAS = 10_000;

/** The text of `./hack/up --help`. */
export const help = `./hack/up: a Kubernetes control plane, Drover's webhook and controller, and an example herd, on this machine.
What runs already stays as it is; what is missing is started. ./hack/down ends it.

  --replicas N            machines of the herd (as many as it has; 3 the first time)
  --k8s VERSION           Kubernetes version: ${Object.keys(kubernetesVersions).join(' or ')}
  --no-herd               control plane, webhook and controller only
  --control-plane-only    control plane, CRDs, policies and RBAC only
  --help                  this text
`;

/** Reads the words after `./hack/up`. */
export function readOptions(words: readonly string[]): Asked {
  const { values, wrong } = readFlags(words, FLAGS);
  if (values.help) return { do: 'help' };
  return wrong === undefined ? optionsOf(values) : refuse(wrong);
}

function optionsOf(values: Read<typeof FLAGS>['values']): Asked {
  const { replicas, k8s } = values;
  if (replicas !== undefined && !(/^\d+$/.test(replicas) && Number(replicas) <= MOST_REPLICAS)) {
    return refuse(`takes a whole number from 0 to ${MOST_REPLICAS} with --replicas, not "${replicas}"`);
  }
  const kubernetes = k8s?.replace(/^v/, '');
  if (kubernetes !== undefined && !(kubernetes in kubernetesVersions))
    return { do: 'refuse', why: noSuchKubernetes(kubernetes) };
  const upTo = values['control-plane-only'] ? 'control plane' : values['no-herd'] ? 'programs' : 'herd';
  if (upTo !== 'herd' && replicas !== undefined) return refuse('makes no herd then: leave --replicas out');
  return {
    do: 'up',
    options: {
      upTo,
      ...(replicas !== undefined && { replicas: Number(replicas) }),
      ...(kubernetes !== undefined && { kubernetes }),
    },
  };
}

const refuse = (why: string): Asked => ({ do: 'refuse', why: `./hack/up ${why}; see ./hack/up --help` });
