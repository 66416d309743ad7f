import { describe, expect, test } from 'bun:test';
import { clusterFlags, containerOf, type Deployed, deployedAs } from './arguments.ts';
import type { Container, Deployment } from './deployment.ts';

describe('what a container is told', () => {
  test("as the chart writes it: settings stay, the pod's own matters do not", () => {
    const args = ['controller', '--control-kubeconfig=inClusterConfig', '--port=10258', '--namespace=herd'];
    const env = [
      { name: 'DROVER_NODE_NAME' },
      { name: 'DROVER_LOG_LEVEL', value: 'debug' },
      { name: 'BUN_CONFIG_MAX_HTTP_REQUESTS', value: '4096' },
      { name: 'HTTPS_PROXY', value: 'http://proxy' },
    ];
    expect(deployedAs({ name: 'controller', args, env })).toEqual({
      flags: ['--namespace=herd'],
      env: { DROVER_LOG_LEVEL: 'debug', BUN_CONFIG_MAX_HTTP_REQUESTS: '4096' },
      control: 'inClusterConfig',
      target: '',
    });
  });

  test('as a Deployment of MCM has it, in its command', () => {
    const command = ['./machine-controller-manager', '--namespace=shoot', '--target-kubeconfig=/a/kubeconfig', '--v=3'];
    const { flags, target } = deployedAs({ name: 'mcm', command });
    expect(flags).toEqual(['--namespace=shoot', '--v=3']);
    expect(target).toBe('/a/kubeconfig');
  });

  test('kubeconfigs may stand in variables', () => {
    const env = [{ name: 'DROVER_CONTROL_KUBECONFIG', value: '/a/kubeconfig' }];
    expect(deployedAs({ name: 'controller', env })).toEqual({
      flags: [],
      env: {},
      control: '/a/kubeconfig',
      target: '',
    });
  });

  test('words that the controller does not know are told', () => {
    expect(() => deployedAs({ name: 'controller', args: ['--namspace=a'] })).toThrow(
      "the controller here does not take the Deployment's arguments: --namspace is not a flag of this program; did you mean --namespace?",
    );
  });

  const deploymentOf = (...containers: Container[]) => ({ spec: { template: { spec: { containers } } } }) as Deployment;

  test('sidecars are not meant', () => {
    const of = (...names: string[]) => containerOf(deploymentOf(...names.map((name) => ({ name })))).name;
    expect(of('driver', 'controller')).toBe('controller');
    expect(of('first', 'driver')).toBe('first');
    expect(of('metrics', 'machine-controller-manager')).toBe('machine-controller-manager');
  });

  test("MCM's two programs are one here, and its own flags come before those of its driver", () => {
    const mcm = 'machine-controller-manager';
    const deployment = deploymentOf(
      { name: `${mcm}-provider-aws`, args: ['--machine-creation-timeout=20m', '--namespace=b'] },
      { name: 'metrics', args: ['--none-of-ours'] },
      { name: mcm, command: [`./${mcm}`, '--namespace=a'], env: [{ name: 'DROVER_LOG_LEVEL', value: 'debug' }] },
    );
    const { flags, env } = deployedAs(containerOf(deployment));
    expect(flags.sort()).toEqual(['--machine-creation-timeout=20m', '--namespace=a']);
    expect(env).toEqual({ DROVER_LOG_LEVEL: 'debug' });
  });
});

describe('the clusters of a pod, from elsewhere', () => {
  const get = { own: () => '/own', mounted: async (path: string) => `/copy${path}` };
  test.each<[string, string, string[]]>([
    ['', '', ['--control-kubeconfig=/own']],
    ['inClusterConfig', '', ['--control-kubeconfig=/own']],
    ['inClusterConfig', 'none', ['--control-kubeconfig=/own', '--target-kubeconfig=none']],
    ['', '/a', ['--target-kubeconfig=/copy/a']],
    ['inClusterConfig', '/a', ['--control-kubeconfig=/own', '--target-kubeconfig=/copy/a']],
    ['/a', '', ['--control-kubeconfig=/copy/a']],
    ['/a', '/b', ['--control-kubeconfig=/copy/a', '--target-kubeconfig=/copy/b']],
  ])('control %p and target %p', async (control, target, flags) => {
    const deployed: Deployed = { flags: [], env: {}, control, target };
    expect(await clusterFlags(deployed, get)).toEqual(flags);
  });
});
