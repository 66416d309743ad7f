import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { until } from '../../hack/lib/until.ts';
import { crd } from '../../schemas/crd.ts';
import { resources } from '../../schemas/kinds.ts';
import { type MachineSet, machineSetKind } from '../../schemas/machineset.ts';
import { type ControllerProcess, startController } from '../api/support/controllerprocess.ts';
import type { OwnCluster } from '../api/support/controlplane.ts';
import { Herd } from '../api/support/herd.ts';
import { clusterFor } from './tenants.ts';

setDefaultTimeout(600_000);

// hack/decisions/0028 T4: selectors from before they were bounded, and machines of nobody's to hold them against.

const SETS = 18;
const VALUES = 27_000;
const MACHINES = 100;
const PATIENCE = { timeoutMs: 300_000, everyMs: 250 };

const flood = new Herd();
const quiet = new Herd();
let cluster: OwnCluster;
let controller: ControllerProcess | undefined;

beforeAll(async () => {
  cluster = await clusterFor({ 'a-flood': flood, quiet });
  await flood.makeClass('small');
  await quiet.makeClass('small');
}, 180_000);

afterAll(async () => {
  await controller?.stop();
  await cluster?.end();
}, 180_000);

/** The CRD of MachineSets as it is, or without the bounds of selectors. */
async function installCrd({ bounded }: { bounded: boolean }): Promise<void> {
  const whole = JSON.stringify(crd(machineSetKind));
  const stdin = bounded ? whole : whole.replace(/"max(Items|Properties)":(100|101|1000),/g, '');
  const { code, stderr } = await cluster.kubectl(['replace', '-f', '-'], { stdin });
  if (code !== 0) throw new Error(stderr);
}

/** A set that selects by so many values. */
function large(at: number): MachineSet {
  const labels = { herd: `h-${at}` };
  const values = Array.from({ length: VALUES }, (_, value) => `h-${value}`);
  return {
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineSet',
    metadata: { name: `large-${at}`, namespace: flood.namespace },
    spec: {
      replicas: 1,
      selector: { matchExpressions: [{ key: 'herd', operator: 'In', values }] },
      template: { metadata: { labels }, spec: { class: { kind: 'MachineClass', name: 'small' } } },
    },
  } as MachineSet;
}

const faultOf = ({ status }: MachineSet): string | undefined =>
  status?.machineSetCondition?.find(({ type }) => type === 'SpecValid')?.message;

test('a selector of 27,000 values is refused by the API server', async () => {
  await expect(flood.api.create(resources.machineSets, large(0))).rejects.toThrow('at most 1000 items');
});

test('those that are stored already say so, take no machine, and hold up nobody', async () => {
  await installCrd({ bounded: false });
  await until(
    'the bounds to be gone',
    () =>
      flood.api.create(resources.machineSets, large(0)).then(
        () => true,
        () => false,
      ),
    PATIENCE,
  );
  for (let at = 1; at < SETS; at++) await flood.api.create(resources.machineSets, large(at));
  for (let at = 0; at < MACHINES; at++) {
    const { metadata, ...machine } = flood.alone(`m-${at}`, 'small', { herd: `h-${VALUES - 1}` });
    const placed = { ...machine, metadata: { ...metadata, namespace: flood.namespace } };
    await flood.api.create(resources.machines, placed as never);
  }
  await installCrd({ bounded: true });
  controller = await startController({ cluster, namespace: '' });
  await quiet.makeDeployment({ replicas: 1 });
  await until('the machine of another to run', async () => (await quiet.phases())['Running'] === 1, PATIENCE);
  await until('all to tell', async () => (await flood.sets()).every(faultOf), PATIENCE);
  expect((await flood.sets()).map(faultOf)[0]).toContain('at most 1000 values');
  expect((await flood.machines()).filter(({ metadata }) => metadata.ownerReferences)).toEqual([]);
  expect((await fetch(`${controller.url}/healthz`)).status).toBe(200);
});

test('they can be deleted', async () => {
  await flood.kubectl('delete', 'mcs', '--all', '--timeout=300s');
  expect(await flood.sets()).toEqual([]);
});
