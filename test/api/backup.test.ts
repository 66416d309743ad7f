import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { dirname, join } from 'node:path';
import type { ConfigMap } from '../../controller/runtime/k8s/core.ts';
import { controllerOf, type KubeObject } from '../../controller/runtime/k8s/object.ts';
import { findTools } from '../../hack/tools/find.ts';
import { commandsOf } from '../pages/commands.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { type Collector, startCollector } from './support/garbagecollector.ts';
import { Herd } from './support/herd.ts';
import { lose, uidsOf } from './support/restore.ts';
import { EAGER, swept } from './support/sweeps.ts';
import { startRegistered, type WebhookProcess } from './support/webhookprocess.ts';

/**
 * What the page on operation has users save is restored after all objects were lost, as it is: no VM is made, none is
 * forgotten (hack/decisions/0028 M18, hack/decisions/0040). The tests build on each other.
 */

setDefaultTimeout(180_000);

const PAGE = join(import.meta.dir, '../../charts/drover/OPERATIONS.md');
const SAVE = 'kubectl get machineclasses,machinedeployments';
const SIZE = 3;

const herd = new Herd();
let cluster: OwnCluster;
let collector: Collector;
let controller: ControllerProcess;
let webhook: WebhookProcess;
let vms: ConfigMap[];
let names: string[];

const namesOf = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name).sort();

async function start(): Promise<void> {
  controller = await startController({ cluster, namespace: herd.namespace, flags: EAGER });
  await controller.working();
}

beforeAll(async () => {
  cluster = await ownControlPlane();
  herd.settle(cluster, await cluster.namespace('backup'));
  collector = await startCollector(cluster);
  await start();
  await herd.makeClass('small');
  await herd.makeDeployment({ replicas: SIZE });
  names = namesOf(await herd.whenRunning(SIZE));
  vms = await herd.vms();
}, 120_000);

afterAll(async () => {
  await controller?.kill();
  await webhook?.stop();
  await collector?.end();
  await cluster?.end();
});

/** Types the command of the page, and reads the file that it leaves. */
const savedByPage = async () => typed(await commandOfPage());

async function commandOfPage(): Promise<string> {
  const commands = commandsOf(await Bun.file(PAGE).text(), 'kind').map(({ command }) => command);
  return commands.find((one) => one.startsWith(SAVE)) ?? '';
}

/** Passes what was saved as it is through the part of the page's command that takes the owners out. */
async function passedThrough(saved: string): Promise<string> {
  await Bun.write(join(cluster.folder, 'saved.yaml'), saved);
  return typed((await commandOfPage()).replace(/^.*\| kubectl/s, 'cat saved.yaml | kubectl'));
}

async function typed(command: string): Promise<string> {
  const { kubectl } = await findTools(['kubectl']);
  const env = { ...process.env, KUBECONFIG: cluster.kubeconfig, PATH: `${dirname(kubectl)}:${process.env['PATH']}` };
  const { stderr, exitCode } = Bun.spawnSync(['bash', '-c', command], { cwd: cluster.folder, env });
  expect([stderr.toString(), exitCode]).toEqual(['', 0]);
  return Bun.file(join(cluster.folder, 'drover-backup.json')).text();
}

/** As anybody saves it who does not read the page. */
const savedAsItIs = () => herd.kubectl('get', 'machineclasses,machinedeployments,machinesets,machines', '-o', 'yaml');

/** All objects are lost and made again; answers what their author is told. */
async function restored(saved: string): Promise<string> {
  await controller.kill();
  await lose(herd.api);
  const { code, stderr } = await cluster.kubectl(['create', '-f', '-'], { stdin: saved });
  expect([stderr, code]).toEqual([stderr, 0]);
  return stderr;
}

const allOf = async (): Promise<KubeObject[]> => [...(await herd.sets()), ...(await herd.machines())];

/** The garbage collector has left everything as it is. */
async function expectLeft(): Promise<void> {
  await collector.collected();
  expect((await allOf()).map(({ metadata }) => metadata.deletionTimestamp)).toEqual(Array(SIZE + 1).fill(undefined));
}

/** All Machines run with the VMs that there were, under their owners, and nothing else is there. */
async function expectTheSame(): Promise<void> {
  const before = await allOf();
  await start();
  await herd.eventually('all to be owned by who is there', async () => {
    const [all, owners] = [await allOf(), [...(await herd.sets()), ...(await herd.deployments())]];
    return all.every((one) => uidsOf(owners).includes(controllerOf(one)?.uid ?? ''));
  });
  await herd.whenRunning(SIZE);
  await swept(controller, `${herd.namespace}/small`, 3);
  expect(uidsOf(await allOf())).toEqual(uidsOf(before));
  const machines = await herd.whenRunning(SIZE);
  expect(namesOf(machines)).toEqual(names);
  const there = await herd.vms();
  expect(uidsOf(there)).toEqual(uidsOf(vms));
  expect(there.map(({ data }) => data?.['machineUID']).sort()).toEqual(uidsOf(machines));
}

describe('a backup that is restored', () => {
  test('as the page has it outlives the garbage collector', async () => {
    expect(await restored(await savedByPage())).toBe('');
    await expectLeft();
    await expectTheSame();
  });

  test('with the owners that it had is lost to the garbage collector, and can be restored once more without', async () => {
    const saved = await savedAsItIs();
    await restored(saved);
    await collector.collected();
    await herd.eventually('all to be on their way out', async () =>
      (await allOf()).every(({ metadata }) => metadata.deletionTimestamp !== undefined),
    );
    expect(await restored(await passedThrough(saved))).toBe('');
    await expectLeft();
    await expectTheSame();
  });

  test('with the owners that it had outlives it where the webhook runs', async () => {
    webhook = await startRegistered(cluster);
    const saved = await savedAsItIs();
    expect(saved).toContain('ownerReferences');
    expect(await restored(saved)).toContain('Warning: left out metadata.ownerReferences');
    await expectLeft();
    await expectTheSame();
  });

  test('with the owners that it had, children first, does so as well', async () => {
    const saved = JSON.parse(
      await herd.kubectl('get', 'machines,machinesets,machinedeployments,machineclasses', '-o', 'json'),
    );
    await restored(JSON.stringify(saved));
    await expectLeft();
    await expectTheSame();
  });

  test('with the owners that it had is adopted where neither of them runs', async () => {
    await collector.end();
    await herd.kubectl('delete', 'validatingwebhookconfigurations,mutatingwebhookconfigurations', '--all');
    await webhook.stop();
    const saved = await savedAsItIs();
    expect(await restored(saved)).toBe('');
    expect((await herd.machines()).every((one) => controllerOf(one) !== undefined)).toBe(true);
    await expectTheSame();
    expect(await controller.stop()).toBe(0);
  });
});
