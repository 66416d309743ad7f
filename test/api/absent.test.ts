import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import type { KubeObject, Resource } from '../../controller/runtime/k8s/object.ts';
import { FakeLog } from '../../controller/runtime/observability/log.fake.ts';
import { systemRandom as random } from '../../controller/runtime/random.ts';
import { Cache } from '../../controller/runtime/watch/cache.ts';
import { runCache } from '../../controller/runtime/watch/watch.ts';
import { until } from '../../hack/lib/until.ts';
import { resources } from '../../schemas/kinds.ts';
import { type Cluster, controlPlane } from './support/controlplane.ts';
import type { Herd } from './support/herd.ts';
import { paged } from './support/proxyfaults.ts';
import { allow, Between } from './support/serverproxies.ts';
import { Workload } from './support/workload.ts';

/** hack/decisions/0028 R2: whatever stands before the API server says of Clusters, nothing that leaves skips its drain. */

setDefaultTimeout(240_000);

/** Longer than it takes to believe that a kind is gone. */
const LOOK_MS = 15_000;
const PATIENCE = { timeoutMs: 60_000, everyMs: 100 };

let cluster: Cluster;
const ends: Array<() => void> = [];

beforeAll(async () => {
  cluster = await controlPlane();
  await allow({ control: cluster, target: cluster });
});

afterAll(() => {
  for (const end of ends) end();
});

/** A Cluster that is the control cluster itself. */
async function makeEast(herd: Herd): Promise<void> {
  const metadata = { name: 'east' };
  const data = { kubeconfig: readFileSync(cluster.kubeconfig, 'utf8') };
  await herd.apply({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: data });
  const spec = { kubeconfigSecretRef: metadata };
  await herd.apply({ apiVersion: 'drover.dev/v1alpha1', kind: 'Cluster', metadata, spec });
}

/** A Machine in the Cluster `east`, whose Node has a pod that a budget keeps. */
async function set() {
  const between = await Between.of({ control: cluster, target: cluster }, []);
  ends.push(() => between.end());
  const { herd, cloud } = between;
  const workload = new Workload(herd);
  const name = `m-${herd.namespace}`;
  await makeEast(herd);
  await herd.kubectl('create', 'serviceaccount', 'default');
  await herd.makeClass('small');
  await herd.apply(herd.alone(name, 'small', { 'cluster.k8s.io/cluster-name': 'east' }));
  const currentStep = async () =>
    (await herd.api.get(resources.machines, { namespace: herd.namespace, name })).status?.currentStep?.reason;
  await herd.eventually('it to run', async () => (await herd.phases())['Running'] === 1, PATIENCE);
  await workload.run('kept', { node: name });
  await workload.protect('kept');
  return {
    between,
    leave: () => herd.kubectl('delete', `mc/${name}`, '--wait=false'),
    waits: (reason: string) =>
      herd.eventually(`it to wait for ${reason}`, async () => (await currentStep()) === reason, PATIENCE),
    async expectVm() {
      await Bun.sleep(LOOK_MS);
      expect([cloud.vms.size, (await workload.pods()).length]).toEqual([1, 1]);
    },
    /** Lets the pod go, and ends it as its kubelet does; then the VM goes, too. */
    async expectEnd() {
      await workload.unprotect('kept');
      const isEvicted = async () => (await workload.pods()).every(({ metadata }) => metadata.deletionTimestamp);
      await herd.eventually('the pod to be evicted', isEvicted, PATIENCE);
      expect(cloud.vms.size).toBe(1);
      await workload.clear();
      await herd.kubectl('wait', `mc/${name}`, '--for=delete', '--timeout=60s');
      expect([cloud.vms.size, await workload.pods()]).toEqual([0, []]);
    },
  };
}

const clusters = (request: string) => /\/clusters[/? ]/.test(request);
const clustersAndDiscovery = (request: string) => clusters(request) || /^GET \/apis(\/drover.dev\/\w+)? /.test(request);

describe('a Machine that leaves a named Cluster keeps its VM until its Node is drained, while Clusters are answered with', () => {
  const cases = [404, 502, 504, 200].map((code) => ({ code, what: 'a page', isMeant: clusters }));

  test.concurrent.each([...cases, { code: 404, what: 'a page, and discovery as well', isMeant: clustersAndDiscovery }])(
    '$code and $what, also when it is restarted meanwhile',
    async ({ code, isMeant }) => {
      const scene = await set();
      const { between } = scene;
      between.break(['control'], paged(code, isMeant));
      await scene.leave();
      await scene.waits('EvictionBlocked');
      await scene.expectVm();
      between.kill();
      await between.startUntilItWorks();
      await scene.waits('ClusterUnreachable');
      await scene.expectVm();
      between.mend();
      await scene.waits('EvictionBlocked');
      await scene.expectEnd();
    },
  );
});

const dogs: Resource = { group: 'absent.example', version: 'v1', plural: 'dogs', kind: 'Dog', namespaced: true };
const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'dogs.absent.example' },
  spec: {
    group: dogs.group,
    names: { plural: dogs.plural, kind: dogs.kind },
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

test('a kind that is really gone is believed to be, and found again when it comes back', async () => {
  const kubectl = async (command: string, stdin = '') => {
    const { code, stderr } = await cluster.kubectl(command.split(' '), { stdin });
    expect([stderr, code]).toEqual(['', 0]);
  };
  const install = async () => {
    await kubectl('apply -f -', JSON.stringify(crd));
    await kubectl('wait --for=condition=Established crd/dogs.absent.example --timeout=30s');
  };
  const rex: KubeObject = { metadata: { namespace: 'default', name: 'rex' } };
  const api = new Api({ connection: cluster.admin, clock });
  const make = () => api.create(dogs, { apiVersion: 'absent.example/v1', kind: 'Dog', ...rex });
  const stop = new AbortController();
  ends.push(() => stop.abort());
  await install();
  await make();
  const cache = new Cache<KubeObject>();
  const parts = { api, resource: dogs, cache, clock, random, log: new FakeLog(), signal: stop.signal };
  void runCache({ ...parts, mayBeAbsent: true });
  await until('the first list', () => cache.size === 1, PATIENCE);
  await kubectl('delete crd/dogs.absent.example');
  await until('it to count as absent', () => !cache.served, PATIENCE);
  expect(cache.list()).toEqual([]);
  await install();
  await make();
  await until('it to be found again', () => cache.served && cache.size === 1, PATIENCE);
});
