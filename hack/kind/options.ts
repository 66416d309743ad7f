import { parseArgs } from 'node:util';
import { kubernetesVersions, noSuchKubernetes } from '../tools/table.ts';
import type { IpFamily } from './config.ts';

/** What is asked for on the command line. */
export type Asked =
  | { do: 'up'; name: string; workers: number; ipFamily: IpFamily; kubernetes?: string }
  | { do: 'down'; name: string }
  | { do: 'load'; name: string; archives: string[] }
  | { do: 'help' }
  | { do: 'refuse'; why: string };

const FLAGS = {
  name: { type: 'string', default: 'drover' },
  workers: { type: 'string', default: '2' },
  'ip-family': { type: 'string', default: 'ipv4' },
  k8s: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const FLAGS_OF: Readonly<Record<string, readonly string[]>> = {
  up: ['name', 'workers', 'ip-family', 'k8s'],
  down: ['name'],
  load: ['name'],
};

const FAMILIES: readonly IpFamily[] = ['ipv4', 'ipv6', 'dual'];
const MOST_WORKERS = 20;

/** The text of `./hack/cluster --help`. */
export const help = `./hack/cluster: a Kubernetes cluster of kind on this machine, also where no image can be pulled.

  ./hack/cluster up               makes one and says how to use it; one that is there already stays as it is
  ./hack/cluster load ARCHIVE...  brings images to its nodes, such as the one that ./hack/image wrote
  ./hack/cluster down             removes it

  --name NAME           which cluster (drover)
  --workers N           nodes beside the one of the control plane (2)
  --ip-family FAMILY    ${FAMILIES.join(', ')} (ipv4)
  --k8s VERSION         Kubernetes version: ${Object.keys(kubernetesVersions).join(' or ')}
  --help                this text

kubectl and helm are put into .drover/bin. A docker daemon is used as it is; where there is none, root on Linux gets one.
Nodes run kind's image where it can be pulled, else one that is built here, which takes root and minutes the first time.
`;

/** Reads the words after `./hack/cluster`. */
export function readOptions(words: readonly string[]): Asked {
  try {
    const { values, positionals, tokens } = parseArgs({
      args: [...words],
      options: FLAGS,
      allowPositionals: true,
      tokens: true,
    });
    if (values.help) return { do: 'help' };
    const [verb = '', ...archives] = positionals;
    const flags = FLAGS_OF[verb];
    if (!flags) return refuse(verb === '' ? 'needs one of up, down and load' : `knows no "${verb}"`);
    const strange = tokens.find((token) => token.kind === 'option' && !flags.includes(token.name));
    if (strange?.kind === 'option') return refuse(`${verb} takes no ${strange.rawName}`);
    return asked({ ...values, verb, archives });
  } catch (error) {
    return refuse(`does not understand this: ${error instanceof Error ? error.message : String(error)}`);
  }
}

interface Words {
  verb: string;
  archives: string[];
  name: string;
  workers: string;
  'ip-family': string;
  k8s?: string | undefined;
}

function asked({ verb, archives, name, workers, 'ip-family': family, k8s }: Words): Asked {
  if (!/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(name))
    return refuse(`takes small letters, digits, - and . with --name, not "${name}"`);
  if (verb === 'load') return archives.length > 0 ? { do: 'load', name, archives } : refuse('load needs an archive');
  if (archives.length > 0) return refuse(`${verb} takes flags only, not "${archives[0]}"`);
  if (verb === 'down') return { do: 'down', name };
  const ipFamily = FAMILIES.find((known) => known === family);
  if (!ipFamily) return refuse(`takes ${FAMILIES.join(', ')} with --ip-family, not "${family}"`);
  if (!/^\d+$/.test(workers) || Number(workers) > MOST_WORKERS)
    return refuse(`takes a whole number from 0 to ${MOST_WORKERS} with --workers, not "${workers}"`);
  const kubernetes = k8s?.replace(/^v/, '');
  if (kubernetes !== undefined && !(kubernetes in kubernetesVersions)) return refuse(noSuchKubernetes(kubernetes));
  return { do: 'up', name, workers: Number(workers), ipFamily, ...(kubernetes !== undefined && { kubernetes }) };
}

const refuse = (why: string): Asked => ({ do: 'refuse', why: `./hack/cluster ${why}; see ./hack/cluster --help` });
