import { expect, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { readFolder } from '../../hack/controlplane/manifests.ts';
import packageFile from '../../package.json';
import { CHART, helm, only, render } from './helm.ts';

const rendered = await render();
const titles = (objects: readonly KubeObject[]) => objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);

test('the chart passes helm lint --strict', async () => {
  expect(await helm(['lint', '--strict', CHART])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('0 chart(s) failed'),
  });
});

test('chart, image and package are of one version', async () => {
  const chart = Bun.YAML.parse(await Bun.file(`${CHART}/Chart.yaml`).text());
  expect(chart).toMatchObject({ version: packageFile.version, appVersion: packageFile.version });
  const pod = only<Deployment>(rendered, 'Deployment', 'drover-controller').spec.template.spec;
  expect(pod.containers[0]?.image).toBe(`drover:${packageFile.version}`);
});

test('everything has the labels by which it is found', () => {
  const unlabelled = rendered.filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/instance'] !== 'drover');
  expect(titles(unlabelled)).toEqual([]);
});

test('nothing is rendered twice', () => {
  const all = rendered.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`);
  expect(all).toEqual([...new Set(all)]);
});

test('the kinds are those that are generated, and stay when the release goes', async () => {
  const generated = await readFolder(`${CHART}/files/crds`);
  const installed = rendered.filter(({ kind }) => kind === 'CustomResourceDefinition');
  expect(installed).toEqual(
    generated.map((crd) => ({
      ...crd,
      metadata: {
        ...crd.metadata,
        labels: expect.anything(),
        annotations: { ...crd.metadata.annotations, 'helm.sh/resource-policy': 'keep' },
      },
    })),
  );
});

test('the registrations are those that are generated, with the names of the release and without a caBundle', async () => {
  const objects = await render({ release: 'west', namespace: 'herds' });
  const service = { name: 'west-drover-webhook', namespace: 'herds' };
  for (const generated of (await readFolder(`${CHART}/files/webhook`)) as Configuration[]) {
    const { webhooks } = only<Configuration>(objects, String(generated.kind), 'west-drover');
    const moved = ({ clientConfig, ...rest }: Configuration['webhooks'][number]) => ({
      ...rest,
      clientConfig: { service: { ...clientConfig.service, ...service } },
    });
    expect(webhooks).toEqual(generated.webhooks.map(moved));
  }
});

test('a name says the release once', async () => {
  const names = (await render({ release: 'my-drover' })).map(({ metadata }) => metadata.name);
  expect(names).toContain('my-drover-controller');
  expect((await render({ set: { fullnameOverride: 'herder' } })).map(({ metadata }) => metadata.name)).toContain(
    'herder-webhook',
  );
});

test('a release may have a dot in its name, its Services may not', async () => {
  const objects = await render({ release: 'drover.west' });
  expect(only(objects, 'Service', 'drover-west-webhook').metadata.labels).toMatchObject({
    'app.kubernetes.io/instance': 'drover.west',
  });
});

test('pods are spread by one label that all Nodes have: of a Node that lacks one of several the scheduler counts none', () => {
  for (const name of ['drover-controller', 'drover-webhook']) {
    const { topologySpreadConstraints } = only<Deployment>(rendered, 'Deployment', name).spec.template.spec;
    expect(topologySpreadConstraints.map(({ topologyKey }) => topologyKey)).toEqual(['kubernetes.io/hostname']);
  }
});

interface Deployment extends KubeObject {
  spec: {
    template: {
      spec: {
        containers: Array<{ image: string; args: string[] }>;
        topologySpreadConstraints: Array<{ topologyKey: string }>;
      };
    };
  };
}

interface Configuration extends KubeObject {
  webhooks: Array<{ name: string; clientConfig: { service: object } }>;
}
