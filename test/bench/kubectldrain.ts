import { open, type Shop } from '../api/support/budgetedpods.ts';
import { startController } from '../api/support/controllerprocess.ts';
import { type Lab, startLab } from '../api/support/podlab.ts';
import type { Figures } from './figures.ts';

/** Pods of a Node, under a budget that lets one of them be missing. */
const PODS = 6;
/** How long a replacement takes until it is ready, from the moment on at which it has a Node, milliseconds. */
const READY_MS = [500, 2_000, 4_000];
const PATIENCE = { timeoutMs: 180_000, everyMs: 20 };
const LOOK_MS = 5;

/** What it took until the last pod had left its Node. */
interface Drained {
  seconds: number;
  /** For how long in all a replacement was missing before the next pod could go: no drain can be faster. */
  neededSeconds: number;
}

/** Six pods under a budget of one, with Kubernetes' own controllers around them: by deletion of their machine, and by `kubectl drain`. */
export async function kubectlDrainBench(): Promise<Figures> {
  const lab = await startLab('pace', { readyMs: 0, detachMs: 0 });
  const { cluster, herd } = lab;
  const controller = await startController({ cluster, namespace: herd.namespace, flags: ['--leader-elect=false'] });
  try {
    await controller.working();
    await herd.makeClass('small', { heartbeat: '0s' });
    await herd.apply(herd.alone('spare', 'small'));
    const figures: Record<string, Figures> = {};
    for (const readyMs of READY_MS) figures[`ready_after_${readyMs}_ms`] = await compare(lab, readyMs);
    return figures;
  } finally {
    await controller.stop();
    await lab.end();
  }
}

async function compare(lab: Lab, readyMs: number): Promise<Figures> {
  const { herd } = lab;
  lab.kubelets.paces.readyMs = readyMs;
  const drover = await drain(lab, `drover-${readyMs}`, (node) => herd.kubectl('delete', 'mc', node, '--wait=false'));
  const kubectl = await drain(lab, `kubectl-${readyMs}`, (node) =>
    herd.kubectl('drain', node, '--ignore-daemonsets', '--delete-emptydir-data'),
  );
  return {
    drover_seconds: drover.seconds,
    drover_to_needed: drover.seconds / drover.neededSeconds,
    kubectl_seconds: kubectl.seconds,
    kubectl_to_needed: kubectl.seconds / kubectl.neededSeconds,
    drover_to_kubectl: drover.seconds / kubectl.seconds,
  };
}

/** Puts pods on a Node of their own, has them drained, and measures; all of it is gone afterwards. */
async function drain(lab: Lab, name: string, begin: (node: string) => Promise<unknown>): Promise<Drained> {
  const { herd } = lab;
  const shop: Shop = { name, pods: PODS, budget: { maxUnavailable: 1 }, least: PODS - 1 };
  await herd.apply(herd.alone(name, 'small'));
  await herd.kubectl('wait', `mc/${name}`, '--for=jsonpath={.status.currentStatus.phase}=Running', '--timeout=60s');
  await herd.kubectl('cordon', 'spare');
  await open(herd, shop);
  await lab.whenReady([shop]);
  await herd.kubectl('uncordon', 'spare');
  const start = performance.now();
  const drained = measure(lab, name, start);
  await begin(name);
  const result = await drained;
  await lab.whenReady([shop]);
  await herd.kubectl('delete', 'rs,pdb', name);
  await herd.kubectl('delete', 'pods', '--all', '--grace-period=0', '--force');
  await herd.kubectl('delete', 'mc', name, '--ignore-not-found', '--timeout=60s');
  return result;
}

/** Looks on until the Node is empty. */
async function measure({ herd, witness }: Lab, name: string, start: number): Promise<Drained> {
  const stays = () => [...(witness.stays.get(name)?.values() ?? [])];
  let [needed, last] = [0, performance.now()];
  const isEmpty = async () => {
    const now = performance.now();
    if (witness.ready(name) < PODS) needed += now - last;
    last = now;
    return stays().every((end) => end < Infinity);
  };
  await herd.eventually(`${name} to be empty`, isEmpty, { ...PATIENCE, everyMs: LOOK_MS });
  return { seconds: (performance.now() - start) / 1000, neededSeconds: needed / 1000 };
}
