import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { installPolicies } from './support/admissionpolicies.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { admitHerders, startRegistered, type WebhookProcess } from './support/webhookprocess.ts';

setDefaultTimeout(180_000);

/** A Machine is saved by `kubectl get -o yaml` and made again from that, by somebody who may not override (hack/decisions/0028 M16). */

const CONFIRMED = 'protected.drover.dev/vm-confirmed';
const CLASS = 'protected.drover.dev/machine-class';
const RUNS = '--for=jsonpath={.status.currentStatus.phase}=Running';

const herd = new Herd();
let cluster: OwnCluster;
let webhook: WebhookProcess;
let controller: ControllerProcess;

const start = async () => {
  controller = await startController({ cluster, namespace: herd.namespace, flags: ['--leader-elect=false'] });
  await controller.working();
};

beforeAll(async () => {
  cluster = await ownControlPlane();
  herd.settle(cluster, await cluster.namespace('recreated'));
  await installPolicies(cluster);
  await admitHerders(cluster, herd.namespace);
  webhook = await startRegistered(cluster);
  await start();
  await herd.makeClass('small');
}, 120_000);

afterAll(async () => {
  await controller?.kill();
  await webhook?.stop();
  await cluster?.end();
});

const kubectl = (as: string, words: readonly string[], stdin = '') =>
  cluster.kubectl(['-n', herd.namespace, `--as=${as}`, ...words], { stdin });

const seen = (): Promise<Machine> => herd.api.get(resources.machines, { namespace: herd.namespace, name: 'one' });
const noted = async () => (await seen()).metadata.annotations ?? {};

/** The object goes while no controller is there, so that the VM stays. */
async function lose(): Promise<void> {
  await controller.kill();
  await herd.kubectl('delete', 'mc/one', '--wait=false');
  await herd.kubectl('patch', 'mc/one', '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
  await herd.kubectl('wait', 'mc/one', '--for=delete', '--timeout=45s');
}

test('it is made, told what was left out, gets its VM back, and is noted anew', async () => {
  const made = await kubectl('alice', ['create', '-f', '-'], JSON.stringify(herd.alone('one', 'small')));
  expect([made.stderr, made.code]).toEqual(['', 0]);
  await herd.kubectl('wait', 'mc/one', RUNS, '--timeout=30s');
  await herd.eventually('its VM and its class to be noted', async () => {
    const annotations = await noted();
    return CONFIRMED in annotations && CLASS in annotations;
  });
  const [before, vms] = [await seen(), await herd.vms()];
  const saved = (await kubectl('alice', ['get', 'mc/one', '-o', 'yaml'])).stdout;
  expect(saved).toContain(CONFIRMED);
  await lose();

  const again = await kubectl('alice', ['create', '-f', '-'], saved);
  expect([again.stderr, again.code]).toEqual([expect.stringContaining(`Warning: left out metadata.annotations[`), 0]);
  expect(again.stderr).toContain(CONFIRMED);
  expect(Object.keys(await noted()).filter((key) => key.startsWith('protected.'))).toEqual([]);
  await start();
  await herd.kubectl('wait', 'mc/one', RUNS, '--timeout=30s');
  const { uid } = (await seen()).metadata;
  expect(uid).not.toBe(before.metadata.uid);
  await herd.eventually(
    'its VM to be noted anew',
    async () => (await noted())[CONFIRMED]?.startsWith(`${uid} `) === true,
  );
  expect((await herd.vms()).map(({ metadata }) => metadata.uid)).toEqual(vms.map(({ metadata }) => metadata.uid));
});

test('who may override brings it back with all that was noted', async () => {
  const saved = (await kubectl('olga', ['get', 'mc/one', '-o', 'yaml'])).stdout;
  const before = await noted();
  await lose();
  const again = await kubectl('olga', ['create', '-f', '-'], saved);
  expect([again.stderr, again.code]).toEqual(['', 0]);
  expect(await noted()).toMatchObject({ [CONFIRMED]: before[CONFIRMED], [CLASS]: before[CLASS] });
});
