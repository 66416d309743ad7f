import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { until } from '../../hack/lib/until.ts';
import { type ControllerProcess, startController } from '../api/support/controllerprocess.ts';
import type { OwnCluster } from '../api/support/controlplane.ts';
import { Herd } from '../api/support/herd.ts';
import { attackAt, type BadServer, kubeconfigTo, makeCluster, startBadServer } from './badtargets.ts';
import { clusterFor } from './tenants.ts';

setDefaultTimeout(300_000);

// hack/decisions/0028 T60: a tenant's own target answers the creation of bootstrap tokens with four MiB each (tokenserver.ts).

const MACHINES = 40;
/** The limit of the chart, and what the process may take of it; it took twice the limit for 20 Machines. */
const LIMIT_MIB = 1_024;
const MOST_MIB = 900;

const flood = new Herd();
let cluster: OwnCluster;
let controller: ControllerProcess | undefined;
let bad: BadServer | undefined;

beforeAll(async () => {
  cluster = await clusterFor({ 'a-flood': flood });
  bad = await startBadServer(cluster.folder, { program: 'tokenserver.ts' });
  await flood.kubectl('create', 'secret', 'generic', 'asks', '--from-literal=userData=<<BOOTSTRAP_TOKEN>>');
  await flood.apply({
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineClass',
    metadata: { name: 'small' },
    provider: 'virtual',
    providerSpec: {},
    secretRef: { name: 'asks' },
  } as never);
  const env = { BUN_JSC_forceRAMSize: String(LIMIT_MIB << 20) };
  controller = await startController({ cluster, namespace: '', env });
  await controller.working();
  await makeCluster(flood, 'bad', kubeconfigTo(bad, attackAt(bad, 'tokens')));
}, 280_000);

afterAll(async () => {
  bad?.child.kill();
  await controller?.stop();
  await cluster?.end();
}, 180_000);

/** What the process has taken at the most. */
function peakMib(): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${controller?.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kib) / 1_024);
}

test('answers to the creation of tokens take no memory that lasts', async () => {
  const server = bad as BadServer;
  const asking = { tls: { ca: server.ca } };
  const made = async () => (await fetch(attackAt(server, 'made'), asking)).json() as Promise<number>;
  const labels = { 'cluster.k8s.io/cluster-name': 'bad' };
  for (let at = 0; at < MACHINES; at++) await flood.apply(flood.alone(`m-${at}`, 'small', labels));
  await until('the tokens to be made', async () => (await made()) >= MACHINES, { timeoutMs: 200_000 });
  expect(peakMib()).toBeLessThan(MOST_MIB);
  expect(await made()).toBe(MACHINES);
});
