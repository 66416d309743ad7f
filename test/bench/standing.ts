import type { Vm } from '../../controller/drivers/virtual/vm.ts';
import { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { keyOf } from '../../controller/runtime/k8s/object.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { whileCounting } from './counting.ts';
import { type Figures, quantile } from './figures.ts';
import { deploymentIn, HERD } from './herd.ts';
import { keptVms, type OnCall, runInProcess } from './inprocess.ts';
import { onStage, type Stage } from './stage.ts';
import { memoryMiB } from './usage.ts';
import { writesBetween, writesSoFar } from './writes.ts';

/** How many machines stand there, Running. */
const SIZE = 10_000;
const IDLE_MINUTES = 10;
/** Machines that are asked for, and then deleted, one after the other. */
const URGENT = 200;
/** Often enough for the queue never to run empty. */
const RESYNC = '1s';
/** The last status of owners and Nodes follows the last Machine that runs. */
const SETTLE_MS = 15_000;

/** A large herd that stands: what it costs while nothing happens, and how long something urgent takes while all of it is looked at. */
export const standingBench = (): Promise<Figures> =>
  onStage(async (stage) => {
    const namespace = await stage.cluster.namespace('standing');
    return { [`${SIZE}_machines`]: { ...(await idle(stage, namespace)), ...(await urgent(stage, namespace)) } };
  });

/** A controller of its own process brings the herd up and then has nothing to do. */
async function idle(stage: Stage, where: string): Promise<Figures> {
  const { api } = stage;
  return whileCounting(stage, where, async ({ namespace, controller, census }) => {
    const began = performance.now();
    await api.create(resources.machineDeployments, deploymentIn(namespace, SIZE));
    await census.running(SIZE);
    const seconds = (performance.now() - began) / 1000;
    await Bun.sleep(SETTLE_MS);
    const before = await writesSoFar(api);
    await Bun.sleep(IDLE_MINUTES * 60_000);
    const writes = writesBetween(before, await writesSoFar(api));
    const memory = memoryMiB(controller.pid);
    return {
      up_seconds: seconds,
      controller_rss_mib: memory.now,
      controller_rss_peak_mib: memory.peak,
      [`writes_in_${IDLE_MINUTES}_idle_minutes`]: writes,
    };
  });
}

/** From an urgent change to the driver call, while a controller of this process looks at all others again and again. */
async function urgent({ cluster }: Stage, namespace: string): Promise<Figures> {
  const api = new Api({ connection: cluster.admin, clock });
  const calls = new Map<string, (at: number) => void>();
  const onCall: OnCall = (method, machine, at) => calls.get(`${method} ${machine}`)?.(at);
  const called = (method: string, machine: string) =>
    new Promise<number>((resolve) => calls.set(`${method} ${machine}`, resolve));
  const vms = keptVms();
  const { items } = await api.list(resources.machines, { namespace });
  for (const [index, machine] of items.entries()) await vms.create(vmOf(machine, index), new AbortController().signal);
  const flags = [`--min-resync-period=${RESYNC}`, '--controllers=machine'];
  const stop = await runInProcess({ connection: cluster.admin, namespace, vms, onCall, flags });
  try {
    return {
      milliseconds_to_driver_call: {
        create: await creates(api, namespace, called),
        delete: await deletes(api, namespace, called),
      },
    };
  } finally {
    await stop();
  }
}

/** The first controller kept its VMs in its memory. */
const vmOf = ({ metadata }: Machine, index: number): Vm => ({
  uid: metadata.uid ?? '',
  machine: keyOf({ metadata }),
  nodeName: metadata.name,
  class: `${metadata.namespace}/${HERD}`,
  cluster: '',
  address: `10.${128 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`,
  created: Date.parse(metadata.creationTimestamp ?? ''),
  state: 'Running',
  broken: false,
  spec: { heartbeat: '0s' },
  node: { labels: {}, capacity: {} },
  tags: {},
});

type Called = (method: string, machine: string) => Promise<number>;

async function creates(api: Api, namespace: string, called: Called): Promise<Figures> {
  return latencies(async (name) => {
    const call = called('createMachine', name);
    await api.create(resources.machines, machineIn(namespace, name));
    return call;
  });
}

async function deletes(api: Api, namespace: string, called: Called): Promise<Figures> {
  return latencies(async (name) => {
    const call = called('deleteMachine', name);
    await api.delete(resources.machines, { namespace, name });
    return call;
  });
}

/** From before the request to the driver call: the API server's own time is in it. */
async function latencies(change: (name: string) => Promise<number>): Promise<Figures> {
  const all: number[] = [];
  for (let n = 0; n < URGENT; n++) {
    const began = performance.now();
    all.push((await change(`urgent-${n}`)) - began);
  }
  return { p50: quantile(all, 0.5), p99: quantile(all, 0.99), most: Math.max(...all) };
}

const machineIn = (namespace: string, name: string): Machine => ({
  apiVersion: 'machine.sapcloud.io/v1alpha1',
  kind: 'Machine',
  metadata: { name, namespace },
  spec: { class: { kind: 'MachineClass', name: HERD } },
});
