import { type DriverParts, registered } from '../../controller/drivers/index.ts';
import type { MachineRequest, RunningDriver } from '../../controller/drivers/sdk/driver.ts';
import { virtualDriver } from '../../controller/drivers/virtual/driver.ts';
import { memoryStore } from '../../controller/drivers/virtual/memory.ts';
import { start } from '../../controller/manager/start.ts';
import type { Connection } from '../../controller/runtime/client/connection.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { createLog } from '../../controller/runtime/observability/log.ts';
import { createMetrics } from '../../controller/runtime/observability/metrics.ts';
import { systemRandom as random } from '../../controller/runtime/random.ts';
import { readCommand } from '../../schemas/config/commandline.ts';
import { controllerProgram } from '../../schemas/config/controller.ts';

/** A driver call about a machine, at the moment at which the driver is called (`performance.now()`). */
export type OnCall = (method: 'createMachine' | 'deleteMachine', machine: string, at: number) => void;

/** VMs in memory that outlive a controller, which the benches stop and start again. */
export const keptVms = () => memoryStore();

/** What a controller in this process works on, and who is told of its calls. */
export interface InProcess {
  connection: Connection;
  namespace: string;
  flags: readonly string[];
  vms: ReturnType<typeof keptVms>;
  onCall: OnCall;
}

/** Runs the controller's reconcilers in this process, to see the very moment of a driver call; the answer ends it. */
export async function runInProcess({
  connection,
  namespace,
  flags,
  vms,
  onCall,
}: InProcess): Promise<() => Promise<void>> {
  const args = [`--namespace=${namespace}`, '--kube-api-qps=100000', '--kube-api-burst=100000', ...flags];
  const command = readCommand(controllerProgram, { args, env: {} }, () => '');
  if (!command.run) throw new Error(command.text);
  const stop = new AbortController();
  const { ended } = await start(
    {
      settings: command.settings,
      connections: { control: connection, target: connection },
      clock,
      random,
      secureRandom: random,
      log: createLog({ clock, level: 'error', sink: process.stderr }),
      metrics: createMetrics({ tables: [] }),
      identity: 'bench',
      makeDrivers: (parts) => registered([told(virtualOn(vms, parts), onCall)]),
    },
    stop.signal,
  );
  return async () => {
    stop.abort();
    await ended;
  };
}

function virtualOn(store: InProcess['vms'], { control: api, ...parts }: DriverParts): RunningDriver {
  return virtualDriver({ ...parts, api, store });
}

function told(driver: RunningDriver, onCall: OnCall): RunningDriver {
  const tell = (method: Parameters<OnCall>[0], { machine }: MachineRequest) =>
    onCall(method, machine.metadata.name ?? '', performance.now());
  return {
    ...driver,
    createMachine(request) {
      tell('createMachine', request);
      return driver.createMachine(request);
    },
    deleteMachine(request) {
      tell('deleteMachine', request);
      return driver.deleteMachine(request);
    },
  };
}
