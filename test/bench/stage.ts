import { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { type OwnCluster, ownControlPlane } from '../api/support/controlplane.ts';
import type { Place } from './measure.ts';

/** A control plane that nobody else uses, and the processes that are always measured. */
export interface Stage extends Place {
  cluster: OwnCluster;
}

/** Runs `play` on a control plane of its own. */
export async function onStage<T>(play: (stage: Stage) => Promise<T>): Promise<T> {
  const cluster = await ownControlPlane();
  const pids = { apiserver: cluster.apiserver.pid() ?? 0, etcd: cluster.etcd.pid() ?? 0, bench: process.pid };
  try {
    return await play({ cluster, api: new Api({ connection: cluster.admin, clock }), pids });
  } finally {
    await cluster.end();
  }
}
