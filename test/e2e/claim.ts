import type { Scene } from './scene.ts';

/** The namespace that marks a cluster on which cases run. */
const MARK = 'drover-e2e';

/**
 * Takes a cluster for a run. Cases remove Drover's kinds, and with them every object of theirs: a cluster that has any,
 * and was not left so by an earlier run, is refused with a sentence.
 */
export async function claim(scene: Scene): Promise<void> {
  if ((await scene.kubectl('get', 'namespace', MARK, '--ignore-not-found', '-o', 'name')) !== '') return;
  const kinds = ourKinds(await scene.kubectl('get', 'crd', '-o', 'name'));
  if (kinds.length > 0) throw new Error(refusal(kinds));
  await scene.kubectl('create', 'namespace', MARK);
}

/** Gives a cluster back, once nothing of the run is left on it. */
export const release = async (scene: Scene): Promise<void> => {
  await scene.kubectl('delete', 'namespace', MARK, '--ignore-not-found');
};

/** Those of a list of CRDs, as `kubectl get -o name` prints it, that are Drover's or machine-controller-manager's. */
export const ourKinds = (names: string): string[] =>
  names.split('\n').flatMap((line) => /\/(\S+\.(?:machine\.sapcloud\.io|drover\.dev))$/.exec(line)?.[1] ?? []);

const refusal = (kinds: readonly string[]): string =>
  `the cluster has ${kinds.join(', ')} already, and cases would remove all of their objects; take a cluster without them, or, ` +
  `if nothing there is of worth, mark it: kubectl create namespace ${MARK}`;
