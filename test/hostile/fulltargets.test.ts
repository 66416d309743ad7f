import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { type ControllerProcess, startController } from '../api/support/controllerprocess.ts';
import type { OwnCluster } from '../api/support/controlplane.ts';
import { Herd } from '../api/support/herd.ts';
import { attackAt, type BadServer, kubeconfigTo, makeCluster, startBadServer } from './badtargets.ts';
import { clusterFor } from './tenants.ts';

setDefaultTimeout(400_000);

// hack/decisions/0028 T16: Clusters of one tenant whose lists stay just under what may be kept of one.

const CLUSTERS = 4;
const SLOW_CLUSTERS = 60;
const PATIENCE = { timeoutMs: 300_000, everyMs: 500 };
/** The limit of the chart, and what the process may take of it. */
const LIMIT_MIB = 1_024;
const MOST_MIB = 900;

const tenant = new Herd();
const other = new Herd();
let cluster: OwnCluster;
let controller: ControllerProcess | undefined;
let bad: BadServer | undefined;

beforeAll(async () => {
  cluster = await clusterFor({ 'a-tenant': tenant, other });
  bad = await startBadServer(cluster.folder, { program: 'fullserver.ts' });
  const env = { BUN_JSC_forceRAMSize: String(LIMIT_MIB << 20) };
  controller = await startController({ cluster, namespace: '', env });
  await controller.working();
}, 240_000);

afterAll(async () => {
  bad?.child.kill();
  await controller?.stop();
  await cluster?.end();
}, 180_000);

/** Status and reason of the condition Reachable of a Cluster. */
async function reachable(herd: Herd, name: string): Promise<string> {
  const path = 'jsonpath={range .status.conditions[?(@.type=="Reachable")]}{.status} {.reason}{end}';
  return await herd.kubectl('get', `dcl/${name}`, '-o', path);
}

/** What the process has taken at the most. */
function mostMib(): number {
  const [, kib = '0'] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${controller?.pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1_024;
}

test('take no more memory together than the controller has, and nothing of those of others', async () => {
  if (!bad) throw new Error('there is no server');
  const names = Array.from({ length: CLUSTERS }, (_, at) => `full-${at}`);
  for (const name of names) await makeCluster(tenant, name, kubeconfigTo(bad, attackAt(bad, name)));
  const told = async () => await Promise.all(names.map((name) => reachable(tenant, name)));
  await tenant.eventually(
    'most of them to be too large',
    async () => (await told()).filter((one) => one === 'False CacheLimitExceeded').length >= CLUSTERS - 1,
    PATIENCE,
  );
  const account = await cluster.serviceAccount('drover-system', 'drover-controller');
  await makeCluster(other, 'sound', await Bun.file(account.kubeconfig).text());
  await other.eventually('the other', async () => (await reachable(other, 'sound')) === 'True Reachable', PATIENCE);
  expect(mostMib()).toBeLessThan(MOST_MIB);
});

test('take no more by answers that never end, however many begin at once', async () => {
  if (!bad) throw new Error('there is no server');
  const names = Array.from({ length: SLOW_CLUSTERS }, (_, at) => `slow-${at}`);
  for (const name of names) await makeCluster(tenant, name, kubeconfigTo(bad, attackAt(bad, name)));
  const told = async () => await Promise.all(names.map((name) => reachable(tenant, name)));
  await tenant.eventually(
    'most of them to be refused',
    async () => (await told()).filter((one) => one === 'False CacheLimitExceeded').length > SLOW_CLUSTERS / 2,
    PATIENCE,
  );
  expect(mostMib()).toBeLessThan(MOST_MIB);
  expect(await reachable(other, 'sound')).toBe('True Reachable');
});
