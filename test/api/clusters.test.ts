import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { namespaces, nodes } from '../../controller/runtime/k8s/core.ts';
import { kubeconfigOf } from '../../hack/controlplane/kubeconfig.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { type Cluster, controlPlane, type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';
import { openWay } from './support/proxy.ts';
import { faults, sound } from './support/proxyfaults.ts';

const RBAC = join(import.meta.dir, '../../charts/drover/files/rbac/controller.yaml');
const NAMED = { 'cluster.k8s.io/cluster-name': 'east' };
const PATIENCE = { timeoutMs: 40_000 };

setDefaultTimeout(180_000);

let control: Cluster;
let target: OwnCluster;
let herd: Herd;
let controller: ControllerProcess;
let there: Api;

/** A kubeconfig of the target with the chart's rights, as the text of a Secret. */
async function kubeconfig(): Promise<string> {
  const account = await target.serviceAccount('drover-system', 'drover-controller');
  return Bun.file(account.kubeconfig).text();
}

const secret = (text: string, name = 'east') => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: herd.namespace },
  stringData: { kubeconfig: text },
});

const east = (spec: object = {}, name = 'east') => ({
  apiVersion: 'drover.dev/v1alpha1',
  kind: 'Cluster',
  metadata: { name, namespace: herd.namespace },
  spec: { kubeconfigSecretRef: { name }, ...spec },
});

const nodesThere = async () => (await there.list(nodes)).items.map(({ metadata }) => metadata.name).sort();

/** Waits until a condition of the Cluster has this status and reason. */
const says = (type: string, answer: string, name = 'east') =>
  herd.eventually(
    `condition ${type} to say ${answer}`,
    async () => {
      const path = `jsonpath={.status.conditions[?(@.type=="${type}")]['status','reason']}`;
      return (await herd.kubectl('get', `dcl/${name}`, '-o', path)).trim() === answer;
    },
    PATIENCE,
  );

beforeAll(async () => {
  [control, target] = await Promise.all([controlPlane(), ownControlPlane()]);
  herd = new Herd().settle(control, await control.namespace('clusters'));
  await herd.makeClass('small');
  expect((await target.kubectl(['apply', '-f', RBAC])).code).toBe(0);
  there = new Api({ connection: target.admin, clock });
  const flags = [
    '--machine-safety-apiserver-statuscheck-timeout=5s',
    '--machine-safety-apiserver-statuscheck-period=1s',
  ];
  controller = await startController({ cluster: control, namespace: herd.namespace, flags });
  await controller.working();
}, 180_000);

afterAll(async () => {
  await controller?.stop();
  await target?.end();
});

describe('machines of a Cluster', () => {
  test('wait for one that is missing, then for one without a kubeconfig, and need neither to go', async () => {
    await herd.apply(herd.alone('early', 'small', NAMED));
    await herd.apply(herd.alone('brief', 'small', NAMED));
    await herd.whenDecided('early', 'ClusterNotFound');
    await herd.kubectl('delete', 'mc/brief', '--timeout=40s');
    await herd.apply(east());
    await says('Reachable', 'False KubeconfigNotFound');
    await herd.whenDecided('early', 'ClusterUnreachable');
    expect(await herd.vms()).toEqual([]);
  });

  test('join it as soon as it has a good kubeconfig; a bad one is refused with its field', async () => {
    const bad = (await kubeconfig()).replace(/token: .*/, 'tokenFile: /var/run/token');
    await herd.apply(secret(bad));
    await says('Reachable', 'False KubeconfigInvalid');
    expect(await herd.kubectl('get', 'dcl/east', '-o', 'yaml')).toContain('tokenFile is refused');
    await herd.apply(secret(await kubeconfig()));
    await says('Reachable', 'True Reachable');
    await herd.kubectl('wait', 'mc/early', '--for=condition=NodeHealthy', '--timeout=60s');
    expect(await nodesThere()).toEqual(['early']);
    expect(await herd.nodesOf(await herd.machines())).toEqual([]);
  });

  test('have namesakes in the default target that are not mixed up with theirs', async () => {
    await herd.apply(herd.alone('here', 'small'));
    await herd.kubectl('wait', 'mc/here', '--for=condition=NodeHealthy', '--timeout=60s');
    expect(await nodesThere()).toEqual(['early']);
  });

  test('go on when the kubeconfig is renewed, without a restart', async () => {
    await herd.apply(secret(`${await kubeconfig()}\n# renewed\n`));
    await herd.eventually(
      'a new connection',
      async () => (await controller.lines()).filter((line) => line.includes('"Connect"')).length > 1,
      PATIENCE,
    );
    await herd.apply(herd.alone('late', 'small', NAMED));
    await herd.kubectl('wait', 'mc/late', '--for=condition=NodeHealthy', '--timeout=60s');
    expect(await nodesThere()).toEqual(['early', 'late']);
  });

  // hack/decisions/0028 W13
  test('stay with their cluster: a kubeconfig that leads to another is refused until somebody accepts that', async () => {
    const uid = (await there.get(namespaces, { name: 'kube-system' })).metadata.uid;
    const recorded = () => herd.kubectl('get', 'dcl/east', '-o', 'jsonpath={.status.targetUID}');
    expect(await recorded()).toBe(uid as string);
    const astray = await control.serviceAccount('drover-system', 'drover-controller');
    await herd.apply(secret(await Bun.file(astray.kubeconfig).text()));
    await says('Reachable', 'False DifferentCluster');
    await herd.kubectl('delete', 'mc/late', '--wait=false');
    await herd.whenDecided('late', 'TargetClusterUnreachable');
    await herd.apply(secret(await kubeconfig()));
    await says('Reachable', 'True Reachable');
    await herd.kubectl('wait', 'mc/late', '--for=delete', '--timeout=60s');
    expect(await nodesThere()).toEqual(['early']);
    expect(await recorded()).toBe(uid as string);
  });

  // hack/decisions/0028 W13
  test('go on with a cluster that was made anew once somebody takes out what was recorded of it', async () => {
    const record = (targetUID: string | null) =>
      herd.kubectl(
        'patch',
        'dcl/east',
        '--subresource=status',
        '--type=merge',
        '-p',
        JSON.stringify({ status: { targetUID } }),
      );
    await record('of-before');
    await herd.apply(secret(`${await kubeconfig()}\n# of a cluster that was made anew\n`));
    await says('Reachable', 'False DifferentCluster');
    await record(null);
    await says('Reachable', 'True Reachable');
    await herd.eventually(
      'a new record',
      async () =>
        (await herd.kubectl('get', 'dcl/east', '-o', 'yaml')).includes(
          `targetUID: ${(await there.get(namespaces, { name: 'kube-system' })).metadata.uid}`,
        ),
      PATIENCE,
    );
    await herd.apply(herd.alone('late', 'small', NAMED));
    await herd.kubectl('wait', 'mc/late', '--for=condition=NodeHealthy', '--timeout=60s');
  });

  test('stand still while it is paused, deletion included', async () => {
    await herd.apply(east({ paused: true }));
    await says('Paused', 'True PausedBySpec');
    await herd.kubectl('delete', 'mc/late', '--wait=false');
    await herd.whenDecided('late', 'ClusterPaused');
    await herd.apply(east());
    await herd.kubectl('wait', 'mc/late', '--for=delete', '--timeout=60s');
    expect(await nodesThere()).toEqual(['early']);
  });

  test('hold up nobody else while its API server hangs, and lose nothing', async () => {
    const account = await target.serviceAccount('drover-system', 'drover-controller');
    const way = await openWay(account.connection);
    try {
      const labels = { 'cluster.k8s.io/cluster-name': 'west' };
      await herd.apply(secret(await kubeconfigOf(way.connection), 'west'));
      await herd.apply(east({}, 'west'));
      await says('Reachable', 'True Reachable', 'west');
      const far = ['w1', 'w2', 'w3', 'w4'];
      for (const name of far) await herd.apply(herd.alone(name, 'small', labels));
      for (const name of far) await herd.kubectl('wait', `mc/${name}`, '--for=condition=NodeHealthy', '--timeout=60s');
      way.set(faults.silent);
      const patch = '{"spec":{"nodeTemplate":{"metadata":{"labels":{"asked":"yes"}}}}}';
      for (const name of far) await herd.kubectl('patch', `mc/${name}`, '--type=merge', '-p', patch);
      for (const name of ['n1', 'n2', 'n3', 'n4']) await herd.apply(herd.alone(name, 'small'));
      for (const name of ['n1', 'n2', 'n3', 'n4'])
        await herd.kubectl('wait', `mc/${name}`, '--for=condition=NodeHealthy', '--timeout=60s');
      await says('Reachable', 'False Unreachable', 'west');
      await says('Frozen', 'True TargetClusterUnreachable', 'west');
      await herd.kubectl('delete', 'mc/w1', '--wait=false');
      await herd.whenDecided('w1', 'TargetClusterUnreachable');
      way.set(sound);
      await says('Reachable', 'True Reachable', 'west');
      await herd.kubectl('wait', 'mc/w1', '--for=delete', '--timeout=90s');
      await herd.kubectl('delete', 'mc/w2', 'mc/w3', 'mc/w4', 'mc/n1', 'mc/n2', 'mc/n3', 'mc/n4', '--timeout=90s');
      await herd.kubectl('delete', 'dcl/west', '--timeout=60s');
    } finally {
      way.close();
    }
  });

  test('hold it while it is deleted, and so does its protection', async () => {
    await herd.apply(east({ deletionProtection: true }));
    await herd.kubectl('delete', 'dcl/east', '--wait=false');
    await herd.eventually(
      'an event about the protection',
      async () => (await herd.events()).includes('DeletionProtected'),
      PATIENCE,
    );
    await herd.kubectl('patch', 'dcl/east', '--type=merge', '-p', '{"spec":{"deletionProtection":false}}');
    await herd.eventually(
      'an event about its machines',
      async () => (await herd.events()).includes('ClusterInUse'),
      PATIENCE,
    );
    expect(await herd.kubectl('get', 'dcl/east', '-o', 'jsonpath={.status.machines}')).toBe('1');
    await herd.kubectl('delete', 'mc/early', '--timeout=60s');
    await herd.kubectl('wait', 'dcl/east', '--for=delete', '--timeout=60s');
    expect(await nodesThere()).toEqual([]);
    await herd.kubectl('delete', 'mc/here', '--timeout=60s');
  });
});
