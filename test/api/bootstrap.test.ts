import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { namespaces, type Secret, secrets } from '../../controller/runtime/k8s/core.ts';
import { resources } from '../../schemas/kinds.ts';
import { type ControllerProcess, startController } from './support/controllerprocess.ts';
import { controlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';

setDefaultTimeout(180_000);

const GROUP = 'system:bootstrappers:drover:test';
const flags = [`--bootstrap-token-auth-extra-groups=${GROUP}`, '--leader-elect=false'];
/** Tokens of Machines that would take for ever, and how long they live in the test that sees them end and be renewed. */
const LIFE_MS = 6_000;
const herd = new Herd();
let controller: ControllerProcess;

beforeAll(async () => {
  const cluster = await controlPlane();
  herd.settle(cluster, await cluster.namespace('bootstrap'));
  await start();
  const userData = 'name: <<MACHINE_NAME>>, token: <<BOOTSTRAP_TOKEN>>';
  await herd.kubectl('create', 'secret', 'generic', 'asks', `--from-literal=userData=${userData}`);
  await herd.kubectl('create', 'secret', 'generic', 'plain', '--from-literal=userData=#cloud-config');
  await makeClass('slow', 'asks', { latency: { join: '2s' } });
  await makeClass('never', 'asks', { faults: { vms: [{ fate: 'NeverJoins' }] } });
  await makeClass('plain', 'plain', { faults: { vms: [{ fate: 'NeverJoins' }] } });
});

beforeEach(() => herd.kubectl('delete', 'mc', '--all', '--timeout=45s').then(() => {}));

afterAll(async () => {
  const lines = await controller.lines();
  expect(await controller.stop()).toBe(0);
  expect(lines.filter((line) => line.includes('orbidden') && !line.includes('BootstrapTokenFailed'))).toEqual([]);
});

async function start(more: readonly string[] = []): Promise<void> {
  controller = await startController({ cluster: herd.cluster, namespace: herd.namespace, flags: [...flags, ...more] });
  await controller.working();
}

const makeClass = (name: string, secret: string, providerSpec: object): Promise<void> =>
  herd.apply({
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineClass',
    metadata: { name },
    provider: 'virtual',
    providerSpec,
    secretRef: { name: secret },
  });

/** The tokens of this herd's Machines. */
async function tokens(): Promise<Secret[]> {
  const labelSelector = `drover.dev/machine-namespace=${herd.namespace}`;
  return (await herd.api.list(secrets, { namespace: 'kube-system', labelSelector })).items;
}

const value = (token: Secret | undefined, key: string): string => atob(token?.data?.[key] ?? '');

async function oneToken(): Promise<Secret> {
  await herd.eventually('a token', async () => (await tokens()).length === 1);
  return (await tokens())[0] as Secret;
}

const expiryOf = (token: Secret | undefined): number => Date.parse(value(token, 'expiration'));

/** When the API server stored the token. */
const bornOf = ({ metadata }: Secret): number => Date.parse(metadata.creationTimestamp ?? '');

/** A Machine of this class whose owner would like its token to live for 292 years. */
function eternal(name: string, className: string) {
  const spec = { class: { kind: 'MachineClass', name: className }, creationTimeout: '2562047h' };
  return { ...herd.alone(name, className), spec };
}

const noTokens = (): Promise<void> => herd.eventually('no token', async () => (await tokens()).length === 0);

/** Who the API server takes the bearer of a token for. */
async function whoIs(token: string): Promise<unknown> {
  const { server, tls } = herd.cluster.admin;
  const credentials = { header: () => `Bearer ${token}`, refresh: () => {} };
  const api = new Api({ connection: { server, tls: { ca: tls?.ca ?? '' }, credentials }, clock });
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const answer = await api.request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { body });
  return (answer as { status: unknown }).status;
}

describe('a Machine whose user data asks for a bootstrap token', () => {
  test('gets one with which its VM can join, until the Machine runs (hack/spec/mcm.md 6.13)', async () => {
    await herd.apply(herd.alone('m', 'slow'));
    const token = await oneToken();
    const [machine] = await herd.machines();
    expect(token.metadata.labels?.['drover.dev/machine-uid']).toBe(machine?.metadata.uid as string);
    const lives = Date.parse(value(token, 'expiration')) - Date.parse(machine?.metadata.creationTimestamp ?? '');
    expect(lives).toBeGreaterThanOrEqual(1_200_000);
    const id = value(token, 'token-id');
    expect(await whoIs(`${id}.${value(token, 'token-secret')}`)).toMatchObject({
      userInfo: { username: `system:bootstrap:${id}`, groups: expect.arrayContaining(['system:bootstrappers', GROUP]) },
    });
    await herd.kubectl('wait', 'mc/m', '--for=jsonpath={.status.currentStatus.phase}=Running', '--timeout=45s');
    await noTokens();
  });

  test('keeps it over a restart, and it is renewed when the Machine is given more time', async () => {
    await herd.apply(herd.alone('m', 'never'));
    await herd.kubectl('wait', 'mc/m', '--for=jsonpath={.status.currentStatus.phase}=Pending', '--timeout=45s');
    const token = await oneToken();
    await controller.kill();
    // A new controller sees this before its driver has told of the VM, without which no token is awaited.
    const ref = { namespace: herd.namespace, name: 'm' };
    await herd.api.patch(resources.machines, ref, { type: 'merge', body: { spec: { creationTimeout: '2h' } } });
    await start();
    await herd.eventually('the token to be renewed', async () => {
      const [now] = await tokens();
      return value(now, 'expiration') > value(token, 'expiration');
    });
    expect((await tokens()).map(({ metadata }) => metadata.uid)).toEqual([token.metadata.uid]);
  });

  test('loses it when it leaves', async () => {
    await herd.apply(herd.alone('m', 'never'));
    await oneToken();
    await herd.kubectl('delete', 'mc/m', '--timeout=45s');
    await noTokens();
  });
});

test('a Machine for which no token may be made says so, and goes on when it may (hack/spec/mcm.md 6.13)', async () => {
  const binding = ['-n', 'kube-system', 'rolebinding', 'drover-controller'];
  const { stdout } = await herd.cluster.kubectl(['get', ...binding, '-o', 'json']);
  await herd.cluster.kubectl(['delete', ...binding]);
  // The API server's authorizer follows a moment later.
  const mayMake = ['auth', 'can-i', 'create', 'secrets', '-n', 'kube-system'];
  const as = '--as=system:serviceaccount:drover-system:drover-controller';
  await herd.eventually('the right to be gone', async () => (await herd.cluster.kubectl([...mayMake, as])).code !== 0);
  await herd.apply(herd.alone('m', 'slow'));
  await herd.whenDecided('m', 'BootstrapTokenFailed');
  const { metadata, ...rest } = JSON.parse(stdout);
  const { name, namespace } = metadata;
  const stdin = JSON.stringify({ ...rest, metadata: { name, namespace } });
  expect((await herd.cluster.kubectl(['create', '-f', '-'], { stdin })).code).toBe(0);
  await herd.kubectl('wait', 'mc/m', '--for=jsonpath={.status.currentStatus.phase}=Running', '--timeout=30s');
});

// hack/decisions/0028 W5
describe('a Machine that may take 292 years to join', () => {
  test('has a token that lives for an hour, and signs nothing', async () => {
    await herd.apply(eternal('m', 'never'));
    const token = await oneToken();
    expect(expiryOf(token) - bornOf(token)).toBeWithin(3_590_000, 3_602_000);
    expect(value(token, 'usage-bootstrap-signing')).toBe('false');
  });

  test('has it renewed again and again while its VM is awaited, for as long at a time', async () => {
    expect(await controller.stop()).toBe(0);
    await start([`--bootstrap-token-max-life=${LIFE_MS}ms`, '--bootstrap-token-signing']);
    await herd.apply(eternal('m', 'never'));
    const token = await oneToken();
    expect(value(token, 'usage-bootstrap-signing')).toBe('true');
    const seen = new Set<number>();
    await herd.eventually('two renewals', async () => {
      const [now] = await tokens();
      seen.add(expiryOf(now));
      expect(expiryOf(now)).toBeLessThanOrEqual(Date.now() + LIFE_MS + 2_000);
      return seen.size === 3;
    });
    expect((await tokens()).map(({ metadata }) => metadata.uid)).toEqual([token.metadata.uid]);
  });

  test('loses it when its VM cannot be made: it ends, and no other comes', async () => {
    await makeClass('refused', 'asks', { faults: { calls: [{ method: 'createMachine', answer: 'InvalidArgument' }] } });
    await herd.apply(eternal('m', 'refused'));
    await oneToken();
    await noTokens();
    const [machine] = await herd.machines();
    expect(machine?.spec?.providerID).toBeUndefined();
    // A successor could not know that no VM was made, and would wait for it (hack/decisions/0057).
    await herd.kubectl('delete', 'mc', '--all', '--timeout=45s');
    expect(await controller.stop()).toBe(0);
    await start();
  });
});

test('a Machine whose user data has no mark gets none', async () => {
  await herd.apply(herd.alone('m', 'plain'));
  await herd.kubectl('wait', 'mc/m', '--for=jsonpath={.status.currentStatus.phase}=Pending', '--timeout=45s');
  expect(await tokens()).toEqual([]);
});

test('tokens of Machines that vanished while no controller ran are swept, others are left alone', async () => {
  await herd.apply(herd.alone('m', 'never'));
  const token = await oneToken();
  await controller.kill();
  const incarnation = (await herd.api.get(namespaces, { name: 'kube-system' })).metadata.uid ?? '';
  const left = async (id: string, labels: Record<string, string>) => {
    const metadata = { name: `bootstrap-token-${id}`, namespace: 'kube-system' };
    const owned = { ...token.metadata.labels, 'drover.dev/machine-uid': 'gone', ...labels };
    const { uid: _, resourceVersion: __, ...rest } = token.metadata;
    await herd.api.create(secrets, { ...token, metadata: { ...rest, ...metadata, labels: owned } });
  };
  await left('aaaaa1', {});
  await left('aaaaa2', { 'drover.dev/incarnation': 'another' });
  await left('aaaaa3', { 'drover.dev/machine-namespace': 'another' });
  expect(token.metadata.labels?.['drover.dev/incarnation']).toBe(incarnation);
  await start();
  const names = async () => (await tokens()).map(({ metadata }) => metadata.name).sort();
  const kept = ['bootstrap-token-aaaaa2', token.metadata.name].sort();
  await herd.eventually('the sweep', async () => Bun.deepEquals(await names(), kept));
  const other = { namespace: 'kube-system', name: 'bootstrap-token-aaaaa3' };
  expect((await herd.api.get(secrets, other)).metadata.name).toBe(other.name);
  await herd.api.delete(secrets, other);
  await herd.api.delete(secrets, { ...other, name: 'bootstrap-token-aaaaa2' });
});
