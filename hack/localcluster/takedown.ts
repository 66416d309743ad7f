import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { running, stop } from '../lib/daemon.ts';
import { place } from './place.ts';

/** Who ends before whom: the controller gives its Lease back while there is an API server to give it to. */
const ORDER = ['controller', 'webhook', 'kube-apiserver', 'etcd'];
/** Long enough for every program that is not stuck, short enough for the user who waits. */
const GRACE_MS = 5_000;

/** Names of what runs of all that `./hack/up` starts. */
export const runningHere = (): string[] => running(place.folders);

/** Ends every process that `./hack/up` started, but for those spared; returns the names of those that ended. */
export async function endProcesses(spared: readonly string[] = []): Promise<string[]> {
  const ending = runningHere().filter((name) => !spared.includes(name));
  ending.sort((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other));
  for (const name of ending) await stop(place.folders, name, GRACE_MS);
  return ending;
}

/** Drops data, certificates and kubeconfigs, so that the next call begins anew. */
export const dropData = (): void => dropAllBut([place.lock, place.folders.log]);

/** Drops everything; but the lock file stays, for whoever waits for it. */
export const dropState = (): void => dropAllBut([place.lock]);

function dropAllBut(kept: readonly string[]): void {
  const names = existsSync(place.state) ? readdirSync(place.state) : [];
  const paths = names.map((name) => join(place.state, name));
  for (const path of paths) if (!kept.includes(path)) rmSync(path, { recursive: true });
}
