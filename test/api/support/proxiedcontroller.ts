import { Api } from '../../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../../controller/runtime/clock.ts';
import { allowIn } from './chartrights.ts';
import { controlPlane } from './controlplane.ts';
import type { Herd } from './herd.ts';
import { startInProcess } from './inprocesscontroller.ts';
import { openWay, type Way } from './proxy.ts';
import { Cloud } from './virtualcloud.ts';

/** A controller in this process whose way to the control API server may be disturbed; people go another one. */
export interface BehindWay {
  way: Way;
  /** Ends both. */
  end(): void;
}

/** Settles the herd in a namespace of its own with the class `small`, and starts the controller there. */
export async function startBehindWay(herd: Herd, namespace: string): Promise<BehindWay> {
  const cluster = await controlPlane();
  await allowIn(cluster);
  herd.settle(cluster, await cluster.namespace(namespace));
  await herd.makeClass('small');
  const way = await openWay((await cluster.serviceAccount('drover-system', 'drover-controller')).connection);
  const connections = { control: way.connection, target: cluster.admin };
  const cloud = new Cloud(new Api({ connection: cluster.admin, clock }), () => {});
  const { end } = await startInProcess(herd, cloud.driver(), { connections });
  return {
    way,
    end() {
      end();
      way.close();
    },
  };
}
