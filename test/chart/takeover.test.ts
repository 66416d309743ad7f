import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { canBuildGo } from '../../hack/tools/gomodule.ts';
import { resources } from '../../schemas/kinds.ts';
import { type OwnCluster, ownControlPlane } from '../api/support/controlplane.ts';
import { mcmCrds } from '../api/support/mcm.ts';
import { Release } from './release.ts';

/** The chart comes to a cluster in which machine-controller-manager was, as charts/drover/MIGRATION.md tells it. */

/** What makes helm take kinds that somebody else has applied. */
const TAKE = ['--take-ownership', '--force-conflicts'];
const KIND = 'machines.machine.sapcloud.io';

describe.skipIf(!canBuildGo)('kinds that MCM has brought', () => {
  let cluster: OwnCluster;
  let release: Release;
  let before: string;

  beforeAll(async () => {
    cluster = await ownControlPlane({ bare: true });
    release = new Release(cluster);
    await kubectl('apply', '-f', await mcmCrds());
    await kubectl('wait', 'crd', '--all', '--for=condition=Established', '--timeout=30s');
    await kubectl('apply', '-f', 'schemas/examples/mcm-aws.yaml');
    before = await uid();
  }, 600_000);

  afterAll(() => cluster?.end());

  const kubectl = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await cluster.kubectl(args);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  };

  const uid = async (): Promise<string> =>
    (await release.api.get(resources.machineDeployments, { namespace: 'default', name: 'pool-a' })).metadata.uid ?? '';

  const kind = async () => JSON.parse(await kubectl('get', 'crd', KIND, '-o', 'json')) as KubeObject & { spec: object };

  test('are not taken without being told to', async () => {
    await expect(release.install()).rejects.toThrow('cannot be imported into the current release');
  });

  test('become those of Drover when they are, and their objects stay', async () => {
    await release.install({ words: TAKE });
    const { metadata, spec } = await kind();
    expect(metadata).toMatchObject({
      labels: { 'app.kubernetes.io/instance': 'drover' },
      annotations: { 'helm.sh/resource-policy': 'keep', 'meta.helm.sh/release-name': 'drover' },
    });
    expect(JSON.stringify(spec)).toContain('deletionPolicy');
    expect(await uid()).toBe(before);
  });

  test('can be upgraded as if the chart had made them', async () => {
    await release.upgrade({ set: { 'controller.settings.logLevel': 'debug' } });
    expect(await uid()).toBe(before);
  });

  test('stay with their objects when the release goes, and are taken up when it comes back', async () => {
    await release.uninstall();
    expect(await uid()).toBe(before);
    await release.install();
    expect(await uid()).toBe(before);
  });

  test('can be those of MCM again', async () => {
    await release.uninstall();
    await kubectl('apply', '--server-side', '--force-conflicts', '-f', await mcmCrds());
    expect(await uid()).toBe(before);
  });
});
