import { describe, expect, test } from 'bun:test';
import { controllerProgram } from '../../schemas/config/controller.ts';
import { flagsOf } from '../../schemas/config/program.ts';
import { webhookProgram } from '../../schemas/config/webhook.ts';
import { parseSettings } from '../../schemas/config.ts';
import { providers } from '../../schemas/providers/index.ts';
import { render } from './helm.ts';
import { type Container, deploymentsIn, scenarios, valuesOf } from './scenarios.ts';

const programs = { controller: controllerProgram, webhook: webhookProgram };

/** What the program in a container makes of its command line. */
function settingsOf({ args: [name = '', ...args], env = [] }: Container) {
  const program = programs[name as keyof typeof programs];
  const given = Object.fromEntries(env.map(({ name: variable, value }) => [variable, value]));
  return parseSettings<object>(program, { args, env: given });
}

const containers = async (set: Record<string, unknown>, files: string[] = []) =>
  deploymentsIn(await render({ set, files })).flatMap(({ spec }) => spec.template.spec.containers);

test.each([...scenarios])('the programs take the command lines of the scenario %s', async (scenario) => {
  for (const container of await containers({}, [valuesOf(scenario)])) {
    if (container.name in programs) expect(settingsOf(container)).toMatchObject({ ok: true });
  }
});

// hack/decisions/0051 U25
test('beside MCM’s machine controller Nodes of its cluster are read, and its Deployment stays the provider’s', async () => {
  const deployments = deploymentsIn(await render({ set: {}, files: [valuesOf('beside-mcm')] }));
  const [controller] = deployments.flatMap(({ spec }) =>
    spec.template.spec.containers.filter(({ name }) => name === 'controller'),
  );
  expect(controller && settingsOf(controller)).toMatchObject({
    settings: { targetKubeconfig: '/etc/drover/target/kubeconfig', controllers: ['machinedeployment', 'machineset'] },
  });
  expect(deployments.map(({ metadata }) => metadata.name)).not.toContain('machine-controller-manager');
});

/** A value that is not the default, for each form that a setting takes. */
const samples: Readonly<Record<string, unknown>> = {
  number: 1_234_567,
  duration: '3s',
  percentage: '12%',
  'number|percentage': 7,
  name: 'somewhere',
  '*|name,…': ['machine'],
  'name,…': ['one', 'two'],
  'group,…': ['system:bootstrappers:drover'],
  'server,…': ['10.0.0.0/8', '.example.com'],
  'namespace=id,…': ['shop=5d1f', 'web=5d1f'],
  'IP address': '127.0.0.1',
  'key:effect': 'example.com/starting:NoExecute',
};

describe.each(['controller', 'webhook'] as const)('each setting of the %s', (name) => {
  const shown = async (set: Record<string, unknown>) => {
    const found = (await containers(set)).find((container) => container.name === name);
    const parsed = found && settingsOf(found);
    if (!parsed?.ok) throw new Error(`the ${name} does not take ${JSON.stringify(set)}: ${parsed?.findings}`);
    return parsed.settings as Record<string, unknown>;
  };

  test('that is a value reaches the program, whatever its form', async () => {
    const schema = await Bun.file(`${import.meta.dir}/../../charts/drover/values.schema.json`).json();
    const allowed = Object.keys(schema.properties[name].properties.settings.properties);
    const settings = flagsOf(programs[name]).filter(({ setting }) => allowed.includes(setting));
    const usual = await shown({});
    // These three bind each other, and the next line shows them.
    const free = settings.filter(
      ({ setting }) => !/^leaderElect(LeaseDuration|RenewDeadline|RetryPeriod)$/.test(setting),
    );
    const sampleOf = ({ setting, takes }: (typeof free)[number]) =>
      takes === 'true|false' ? !usual[setting] : (samples[takes] ?? takes.split('|').at(-1));
    const set = Object.fromEntries(free.map((flag) => [`${name}.settings.${flag.setting}`, sampleOf(flag)]));
    const changed = await shown({ ...set, [`${name}.replicas`]: 1 });
    const same = free.filter(({ setting }) => Bun.deepEquals(changed[setting], usual[setting]));
    expect(same.map(({ setting }) => setting)).toEqual([]);
  });
});

test('settings that bind each other may be changed together', async () => {
  const set = {
    'controller.settings.leaderElectLeaseDuration': '4s',
    'controller.settings.leaderElectRenewDeadline': '3s',
    'controller.settings.leaderElectRetryPeriod': '500ms',
  };
  const [controller] = await containers(set);
  expect(controller && settingsOf(controller)).toMatchObject({
    settings: { leaderElectLeaseDuration: 4_000, leaderElectRenewDeadline: 3_000, leaderElectRetryPeriod: 500 },
  });
});

test.each<[Record<string, string>, object]>([
  [{}, { controlKubeconfig: 'inClusterConfig', targetKubeconfig: '' }],
  [{ target: 'none' }, { controlKubeconfig: 'inClusterConfig', targetKubeconfig: 'none' }],
  [{ target: 'far' }, { controlKubeconfig: 'inClusterConfig', targetKubeconfig: '/etc/drover/target/kubeconfig' }],
  [
    { control: 'far', key: 'k' },
    { controlKubeconfig: '/etc/drover/control/k', targetKubeconfig: '' },
  ],
  [{ control: 'far', target: 'inClusterConfig' }, { targetKubeconfig: 'inClusterConfig' }],
])('kubeconfigs %j are given as %j', async (kubeconfig, expected) => {
  const set = Object.fromEntries(
    Object.entries(kubeconfig).map(([key, value]) => [`controller.kubeconfig.${key}`, value]),
  );
  const [controller] = await containers({ ...set, 'webhook.enabled': kubeconfig['control'] === undefined });
  expect(controller && settingsOf(controller)).toMatchObject({ ok: true, settings: expected });
});

describe('drivers (hack/decisions/0028)', () => {
  const told = async (set: Record<string, unknown>, files: string[] = []) =>
    (await containers(set, files))
      .filter(({ name }) => name in programs)
      .map(({ name, args }) => [name, args.filter((arg) => arg.startsWith('--drivers'))]);
  const both = (flag: string) => Object.keys(programs).map((name) => [name, [flag]]);

  test('run, all of them but that of simulated machines', async () => {
    expect(await told({})).toEqual(both('--drivers=*,-virtual'));
  });

  test('run beside a container of theirs', async () => {
    expect(await told({}, [valuesOf('sidecar-driver')])).toEqual(both('--drivers=*,-virtual'));
  });

  test('run, all of them, where simulated machines are wanted', async () => {
    expect(await told({ 'driver.virtual.enabled': true })).toEqual(both('--drivers=*'));
  });

  // hack/decisions/0051 U5
  test.each<[Record<string, unknown>, string]>([
    [{ 'driver.names': ['cloud', 'metal'] }, '--drivers=cloud,metal'],
    [{ 'driver.names': ['cloud'], 'driver.virtual.enabled': true }, '--drivers=cloud,virtual'],
  ])('run that are named by %j', async (set, flag) => {
    expect(await told(set)).toEqual(both(flag));
  });

  test('are those that each program has', async () => {
    for (const container of await containers({})) {
      const names = providers.map(({ name }) => name).filter((name) => name !== 'virtual');
      expect(settingsOf(container)).toMatchObject({ ok: true, settings: { drivers: names } });
    }
  });
});

test.each<[Record<string, unknown>, string]>([
  [{}, 'drover-system'],
  [{ 'controller.namespace': 'herds' }, 'herds'],
  [{ 'controller.namespace': 'herds', 'controller.settings.leaderElectNamespace': 'leases' }, 'leases'],
])('with %j the Leases lie in %s', async (set, leaderElectNamespace) => {
  const [controller] = await containers(set);
  expect(controller && settingsOf(controller)).toMatchObject({ settings: { leaderElectNamespace } });
});
