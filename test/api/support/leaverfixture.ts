import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout } from 'bun:test';
import { type ControllerProcess, startController } from './controllerprocess.ts';
import { controlPlane } from './controlplane.ts';
import { Herd } from './herd.ts';
import { Workload } from './workload.ts';

/** One machine, what runs on its Node, and how it leaves. */
export interface Leaver {
  herd: Herd;
  workload: Workload;
  /** Asks for its deletion. */
  leave(): Promise<string>;
  /** Waits until it is gone. */
  gone(): Promise<string>;
  /** Kills the controller, and starts another one. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/**
 * Gives a test file a controller with these flags on the shared API server, a namespace of its own, whose name begins like this, and
 * before each test the machine `m` of the class `small`, which runs; afterwards it goes by force.
 */
export function useLeaver(prefix: string, flags: readonly string[] = []): Leaver {
  setDefaultTimeout(180_000);
  const herd = new Herd();
  const workload = new Workload(herd);
  const lines: string[] = [];
  let controller: ControllerProcess;
  const start = async () => {
    const { cluster, namespace } = herd;
    controller = await startController({ cluster, namespace, flags: ['--leader-elect=false', ...flags] });
    await controller.working();
  };
  const stop = async () => {
    lines.push(...(await controller.lines()));
    await controller.kill();
  };

  beforeAll(async () => {
    const cluster = await controlPlane();
    herd.settle(cluster, await cluster.namespace(prefix));
    await herd.kubectl('create', 'serviceaccount', 'default');
    await start();
  });

  oneMachineEach(herd, workload);

  afterAll(async () => {
    await stop();
    expect(lines.filter((line) => line.includes('Forbidden'))).toEqual([]);
  });

  const leave = () => herd.kubectl('delete', 'mc', 'm', '--wait=false');
  const gone = () => herd.kubectl('wait', 'mc/m', '--for=delete', '--timeout=45s');
  return { herd, workload, leave, gone, stop, start };
}

/** Before each test there is a machine, and after it none, and nothing that ran on it. */
function oneMachineEach(herd: Herd, workload: Workload): void {
  beforeEach(async () => {
    await herd.makeClass('small');
    await herd.apply(herd.alone('m', 'small'));
    await herd.whenRunning(1);
  });

  afterEach(async () => {
    await workload.clear();
    // One that is leaving may be gone between the list and the write.
    await herd.kubectl('label', 'mc', '--all', 'force-deletion=true', '--overwrite').catch(() => {});
    await herd.clear();
  });
}
