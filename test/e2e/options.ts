import { readFlags } from '../../hack/lib/flags.ts';

/** What `./hack/e2e` is asked to do. */
export interface E2eOptions {
  /** Names of the cases to run; none means all. */
  cases: readonly string[];
  /** Seed of the order. */
  seed: number;
  /** Installs cert-manager on the cluster that is made. */
  certManager: boolean;
  /** Leaves the cluster; a failed case ends the run, and what it made stays. */
  keep: boolean;
  /** Image that the cluster has or can pull; absent means that one is built. */
  image?: string;
  /** Of a cluster that is there already; absent means that one is made with kind. */
  kubeconfig?: string;
}

/** What the words ask for; `why` is a sentence for who typed them. */
export type Asked =
  | { do: 'run'; options: E2eOptions }
  | { do: 'list' }
  | { do: 'help' }
  | { do: 'refuse'; why: string };

const FLAGS = {
  case: { type: 'string', multiple: true },
  seed: { type: 'string' },
  image: { type: 'string' },
  keep: { type: 'boolean' },
  'with-cert-manager': { type: 'boolean' },
  list: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** The text of `./hack/e2e --help`. */
export const help = `./hack/e2e: installs the chart on a cluster and shows there what no smaller test can.
It makes a cluster with kind and an image of this working tree, and takes the cluster down again. Of a case that fails
everything that can be seen is kept in .drover/e2e/<case>.

  --case NAME      only this case; may be given several times
  --list           the cases, and what each shows
  --seed N         repeats the order of an earlier run, which printed its seed
  --keep           leaves the cluster; after a case that fails no further ones begin, and what it made stays as well
  --with-cert-manager
                   installs cert-manager on the cluster that is made; its build takes minutes the first time
  --image REF      an image that the cluster has or can pull, in place of one of this working tree
  --help           this text

E2E_KUBECONFIG     a kubeconfig: the cases run on that cluster, with --image, and none is made. Cases that drain its
                   Nodes are skipped. A cluster that has kinds of Drover or machine-controller-manager is refused.
`;

const MOST = 2 ** 31;

/** Reads the words after `./hack/e2e`; `drawn` is the seed when none is given. */
export function readOptions(words: readonly string[], env: Record<string, string | undefined>, drawn: number): Asked {
  const { values, wrong } = readFlags(words, FLAGS);
  if (values.help) return { do: 'help' };
  if (wrong !== undefined) return refuse(wrong);
  if (values.list) return { do: 'list' };
  const { seed, image, keep = false } = values;
  if (seed !== undefined && !(/^\d+$/.test(seed) && Number(seed) < MOST))
    return refuse(`takes a whole number below ${MOST} with --seed, not "${seed}"`);
  const kubeconfig = env['E2E_KUBECONFIG'] || undefined;
  if (kubeconfig !== undefined && image === undefined)
    return refuse(
      'needs --image with E2E_KUBECONFIG: the cluster must have or pull the image, for nothing is loaded into it',
    );
  return {
    do: 'run',
    options: {
      cases: values.case ?? [],
      seed: seed === undefined ? drawn : Number(seed),
      keep,
      certManager: values['with-cert-manager'] ?? false,
      ...(image !== undefined && { image }),
      ...(kubeconfig !== undefined && { kubeconfig }),
    },
  };
}

const refuse = (why: string): Asked => ({ do: 'refuse', why: `./hack/e2e ${why}; see ./hack/e2e --help` });

/** The names that are no case, as a sentence; undefined when there are none. */
export function unknownCases(names: readonly string[], known: readonly string[]): string | undefined {
  const strange = names.filter((name) => !known.includes(name));
  if (strange.length === 0) return undefined;
  return `there is no case ${strange.map((name) => `"${name}"`).join(', ')}; the cases are ${known.join(', ')}`;
}
