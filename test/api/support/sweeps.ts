import { until } from '../../../hack/lib/until.ts';
import type { ControllerProcess } from './controllerprocess.ts';

/** Flags with which one replica sweeps as eagerly as it can. */
export const EAGER = ['--leader-elect=false', '--machine-safety-orphan-vms-period=1s', '--orphan-grace-period=1s'];

/** Waits until so many more sweeps over the VMs of a class have been made; the class by its key. */
export async function swept({ url }: ControllerProcess, classKey: string, count: number): Promise<void> {
  const series = `drover_orphan_sweeps_total{class="${classKey}",outcome="SweepSucceeded"}`;
  const sweeps = async () => {
    const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n');
    return Number(
      lines
        .find((line) => line.startsWith(series))
        ?.split(' ')
        .at(-1) ?? 0,
    );
  };
  const from = await sweeps();
  await until('sweeps', async () => (await sweeps()) >= from + count, { timeoutMs: 60_000, everyMs: 200 });
}
