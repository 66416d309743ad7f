import { defaultKubernetes } from '../tools/table.ts';

/**
 * The Kubernetes version to run: the one that wrote the data, else the one asked for, else the default. Throws a
 * sentence when another one is asked for than wrote the data: an API server may not be able to read what another wrote.
 */
export function chooseKubernetes(asked: string | undefined, written: string | undefined): string {
  if (written === undefined) return asked ?? defaultKubernetes;
  if (asked === undefined || asked === written) return written;
  throw new Error(
    `The data under .drover/ was written by Kubernetes ${written}, not ${asked}. ` +
      `Call ./hack/down --purge to begin anew with ${asked}, or go on with ./hack/up --k8s ${written}.`,
  );
}
