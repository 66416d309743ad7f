import { describe, expect, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { only, render, type Values } from './helm.ts';
import { type Container, type Deployment, deploymentsIn } from './scenarios.ts';

type Program = 'controller' | 'webhook';

async function podOf(program: Program, set: Values = {}) {
  return only<Deployment>(await render({ set }), 'Deployment', `drover-${program}`).spec.template;
}

async function containerOf(program: Program, set: Values = {}): Promise<Container> {
  const found = (await podOf(program, set)).spec.containers.find(({ name }) => name === program);
  if (!found) throw new Error(`the ${program} has no container of its name`);
  return found;
}

const variables = ({ env = [] }: Container) => new Map(env.map(({ name, ...rest }) => [name, rest]));

test('the webhook counts once the network knows its pod, so that who waits for an installation may write at once', async () => {
  const { spec } = only<Deployment & { spec: { minReadySeconds?: number } }>(
    await render({}),
    'Deployment',
    'drover-webhook',
  );
  expect(spec.minReadySeconds).toBeGreaterThanOrEqual(2);
});

describe.each(['controller', 'webhook'] as const)('a pod of the %s', (program) => {
  test('is spread over hosts, and over zones where there are any, but never waits for that', async () => {
    const { spec } = await podOf(program);
    const selector = {
      labelSelector: { matchLabels: expect.objectContaining({ 'app.kubernetes.io/component': program }) },
    };
    expect(spec).toMatchObject({
      topologySpreadConstraints: [
        { topologyKey: 'kubernetes.io/hostname', maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway', ...selector },
      ],
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 100, podAffinityTerm: { topologyKey: 'topology.kubernetes.io/zone', ...selector } },
          ],
        },
      },
    });
  });

  test('writes nowhere but to /tmp', async () => {
    const container = await containerOf(program);
    expect(container).toMatchObject({ securityContext: { readOnlyRootFilesystem: true } });
    expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/tmp']);
  });

  test('knows its memory limit, and nothing where there is none', async () => {
    const limited = variables(await containerOf(program));
    const from = { resourceFieldRef: { containerName: program, resource: 'limits.memory' } };
    expect(limited.get('BUN_JSC_forceRAMSize')).toEqual({ valueFrom: from });
    const free = variables(await containerOf(program, { [`${program}.resources.limits`]: null }));
    expect(free.has('BUN_JSC_forceRAMSize')).toBe(false);
  });

  test('takes what the user adds, and what he says of the pod over all else', async () => {
    const set = {
      [`${program}.env`]: [{ name: 'HTTPS_PROXY', value: 'http://proxy' }],
      [`${program}.volumes`]: [{ name: 'extra', emptyDir: {} }],
      [`${program}.volumeMounts`]: [{ name: 'extra', mountPath: '/extra' }],
      [`${program}.podTemplate`]: {
        metadata: { annotations: { mine: 'yes' } },
        spec: {
          terminationGracePeriodSeconds: 99,
          securityContext: { runAsUser: 4711 },
          tolerations: [{ operator: 'Exists' }],
        },
      },
    };
    const { metadata, spec } = await podOf(program, set);
    expect(metadata).toMatchObject({
      annotations: { mine: 'yes' },
      labels: { 'app.kubernetes.io/component': program },
    });
    expect(spec).toMatchObject({
      terminationGracePeriodSeconds: 99,
      securityContext: { runAsUser: 4711, runAsNonRoot: true },
      tolerations: [{ operator: 'Exists' }],
      volumes: [{ name: 'tmp' }, { name: 'extra' }],
    });
    const container = await containerOf(program, set);
    expect(variables(container).get('HTTPS_PROXY')).toEqual({ value: 'http://proxy' });
    expect(container.volumeMounts).toContainEqual({ name: 'extra', mountPath: '/extra' });
  });

  test('is found by a budget that never keeps an ill pod', async () => {
    const objects = await render();
    const { selector } = only<Deployment>(objects, 'Deployment', `drover-${program}`).spec;
    expect(only(objects, 'PodDisruptionBudget', `drover-${program}`)).toMatchObject({
      spec: { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow', selector },
    });
    const without = await render({ set: { [`${program}.podDisruptionBudget.enabled`]: false } });
    expect(without.filter(({ kind }) => kind === 'PodDisruptionBudget').length).toBe(1);
    const kept = await render({ set: { [`${program}.podDisruptionBudget.minAvailable`]: '50%' } });
    const { spec } = only<KubeObject & { spec: object }>(kept, 'PodDisruptionBudget', `drover-${program}`);
    expect(spec).toMatchObject({ minAvailable: '50%' });
    expect(spec).not.toHaveProperty('maxUnavailable');
  });

  test('is reached through a Service that finds it', async () => {
    const objects = await render();
    const { selector } = only<Deployment>(objects, 'Deployment', `drover-${program}`).spec;
    expect(only(objects, 'Service', `drover-${program}`)).toMatchObject({ spec: { selector: selector.matchLabels } });
  });
});

test('the controller knows its Node, and how many requests it may have open', async () => {
  const env = variables(await containerOf('controller', { 'controller.openRequests': 4096 }));
  expect(env.get('DROVER_NODE_NAME')).toEqual({ valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } });
  expect(env.get('BUN_CONFIG_MAX_HTTP_REQUESTS')).toEqual({ value: '4096' });
});

test.each<[Values, boolean]>([
  [{}, true],
  [{ 'controller.kubeconfig.target': 'far' }, true],
  [{ 'controller.kubeconfig.control': 'far', 'controller.kubeconfig.target': 'inClusterConfig' }, true],
  [{ 'controller.kubeconfig.control': 'far', 'controller.kubeconfig.target': 'farther' }, false],
])('with %j the controller is given the token of its account: %p', async (set, automountServiceAccountToken) => {
  const { spec } = await podOf('controller', {
    ...set,
    'webhook.enabled': set['controller.kubeconfig.control'] === undefined,
  });
  expect(spec).toMatchObject({ automountServiceAccountToken });
});

test('the webhook waits for its endpoint to go before it goes itself', async () => {
  expect(await containerOf('webhook')).toMatchObject({ lifecycle: { preStop: { sleep: { seconds: 5 } } } });
  expect(await containerOf('webhook', { 'webhook.preStopSeconds': 0 })).not.toHaveProperty('lifecycle');
});

describe('a driver beside the controller', () => {
  const sidecar = { name: 'cloud', image: 'cloud:1', volumeMounts: [{ name: 'tmp', mountPath: '/scratch' }] };
  const mount = { name: 'drivers', mountPath: '/run/drover/drivers' };

  test('shares the folder of sockets with it, and is as confined', async () => {
    const [controller, cloud] = (await podOf('controller', { 'driver.sidecars': [sidecar] })).spec.containers;
    expect(controller?.volumeMounts).toContainEqual(mount);
    expect(cloud).toMatchObject({
      image: 'cloud:1',
      volumeMounts: [{ mountPath: '/scratch' }, mount],
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
    });
  });

  test('may say otherwise of itself', async () => {
    const own = { ...sidecar, securityContext: { readOnlyRootFilesystem: false } };
    const [, cloud] = (await podOf('controller', { 'driver.sidecars': [own] })).spec.containers;
    expect(cloud).toMatchObject({
      securityContext: { readOnlyRootFilesystem: false, allowPrivilegeEscalation: false },
    });
  });
});

test.each<[Values, string]>([
  [{ 'image.repository': 'example.com/drover', 'image.tag': '9' }, 'example.com/drover:9'],
  [{ 'image.digest': `sha256:${'a'.repeat(64)}` }, `drover@sha256:${'a'.repeat(64)}`],
])('with %j all pods run %s', async (set, image) => {
  const objects = await render({ set });
  const pods = [...deploymentsIn(objects).map(({ spec }) => spec.template), ...objects.filter(isPod)];
  expect(pods.flatMap(({ spec }) => spec.containers.map((one) => one.image))).toEqual([image, image, image]);
});

const isPod = (one: KubeObject): one is KubeObject & { spec: { containers: Container[] } } => one.kind === 'Pod';
