import { describe, expect, test } from 'bun:test';
import { configMaps, nodes } from '../../controller/runtime/k8s/core.ts';
import type { Machine } from '../../schemas/machine.ts';
import { useHerd } from './support/herdfixture.ts';

const herd = useHerd();
const KEY = 'node.machine.sapcloud.io/preserve';
const TAINT = 'node.machine.sapcloud.io/preserved';

/** Machines of the deployment fail two seconds after their Node fell silent. */
const make = (spec: { replicas: number } & Record<string, unknown>, machine: object = {}) => {
  const template = {
    metadata: { labels: { pool: 'pool' } },
    spec: { class: { kind: 'MachineClass', name: 'small' }, healthTimeout: '2s', ...machine },
  };
  return herd.makeDeployment({ ...spec, template });
};

const setBroken = ({ metadata: { uid = '' } }: Machine, broken: boolean) =>
  herd.api.patch(
    configMaps,
    { namespace: 'drover-virtual-cloud', name: uid },
    { type: 'merge', body: { data: { broken: `${broken}` } } },
  );
const find = async ({ metadata: { uid } }: Machine) =>
  (await herd.machines()).find((machine) => machine.metadata.uid === uid);
const expiryOf = (machine: Machine | undefined) => machine?.status?.currentStatus?.preserveExpiryTime;
const phaseOf = (machine: Machine | undefined) => machine?.status?.currentStatus?.phase;
const whenKept = (machine: Machine) =>
  herd.eventually('the machine to be Failed and kept', async () => {
    const seen = await find(machine);
    expect(seen).toBeDefined();
    return phaseOf(seen) === 'Failed' && Boolean(expiryOf(seen));
  });
const whenReplaced = (machine: Machine, count: number) =>
  herd.eventually('the machine to be replaced', async () => {
    const uids = (await herd.machines()).map(({ metadata }) => metadata.uid);
    return uids.length === count && !uids.includes(machine.metadata.uid);
  });
const nodeOf = async ({ metadata }: Machine) => {
  const node = await herd.api.get(nodes, { name: metadata.name });
  const preserved = node.status?.conditions?.find(({ type }) => type === 'Preserved');
  return {
    tainted: node.spec?.taints?.some(({ key }) => key === TAINT) ?? false,
    shielded: node.metadata.annotations?.['cluster-autoscaler.kubernetes.io/scale-down-disabled'] === 'true',
    preserved: preserved && `${preserved.status} ${preserved.reason}`,
    wish: node.metadata.annotations?.[KEY],
  };
};

describe('a Failed machine', () => {
  test('that somebody wants to look at is kept with its Node, counts as a replica, and may recover', async () => {
    await make({ replicas: 2 });
    const [machine, other] = (await herd.whenRunning(2)) as [Machine, Machine];
    await herd.kubectl('annotate', 'mc', machine.metadata.name, `${KEY}=when-failed`);
    await setBroken(machine, true);
    await whenKept(machine);
    await herd.eventually('the Node to show it', async () =>
      Bun.deepEquals(await nodeOf(machine), {
        tainted: true,
        shielded: true,
        preserved: 'True Preserved by user.',
        wish: undefined,
      }),
    );
    await herd.kubectl('wait', 'mcd/pool', '--for=jsonpath={.status.preservedFailedReplicas}=1', '--timeout=45s');
    const [set] = await herd.sets();
    expect(set?.status).toMatchObject({ preservedFailedReplicas: 1, readyReplicas: 1, replicas: 2 });
    expect(set?.status?.failedMachines).toBeUndefined();
    expect((await herd.machines()).map(({ metadata }) => metadata.uid).sort()).toEqual(
      [machine, other].map(({ metadata }) => metadata.uid).sort(),
    );

    await setBroken(machine, false);
    await herd.whenRunning(2);
    await herd.eventually('preservation to end', async () => expiryOf(await find(machine)) === undefined);
    expect(await nodeOf(machine)).toMatchObject({
      tainted: false,
      shielded: false,
      preserved: 'False Preservation stopped.',
    });
  });

  test('is kept for its time only', async () => {
    await make({ replicas: 1 }, { machinePreserveTimeout: '4s' });
    const [machine] = (await herd.whenRunning(1)) as [Machine];
    await herd.kubectl('annotate', 'mc', machine.metadata.name, `${KEY}=when-failed`);
    await setBroken(machine, true);
    await whenKept(machine);
    const until = Date.parse(expiryOf(await find(machine)) ?? '');
    await whenReplaced(machine, 1);
    const [successor] = (await herd.whenRunning(1)) as [Machine];
    expect(Date.parse(successor.metadata.creationTimestamp ?? '')).toBeGreaterThanOrEqual(until);
  });

  test('is kept unasked as far as the budget goes; when the budget goes, so does the machine', async () => {
    await make({ replicas: 3, autoPreserveFailedMachineMax: 1 });
    const [one, two] = (await herd.whenRunning(3)) as [Machine, Machine];
    await Promise.all([setBroken(one, true), setBroken(two, true)]);
    await herd.kubectl('wait', 'mcd/pool', '--for=jsonpath={.status.preservedFailedReplicas}=1', '--timeout=45s');
    await herd.eventually('the other to be replaced', async () =>
      Bun.deepEquals(await herd.phases(), { Running: 2, Failed: 1 }),
    );
    const kept = [await find(one), await find(two)].filter((machine) => machine !== undefined);
    expect(kept.map(({ metadata }) => metadata.annotations?.[KEY])).toEqual(['auto-preserved']);
    const [set] = await herd.sets();
    expect(set?.status?.autoPreserveFailedMachineCount).toBe(1);

    await herd.kubectl('patch', 'mcd/pool', '--type=merge', '-p', '{"spec":{"autoPreserveFailedMachineMax":0}}');
    await whenReplaced(kept[0] as Machine, 3);
    await herd.whenRunning(3);
  });
});

describe('a machine that never joined', () => {
  test('says itself that it is preserved, and that it is no more (hack/decisions/0051 U45)', async () => {
    await herd.makeClass('full', { capacity: 0 });
    const alone = herd.alone('late', 'full');
    const metadata = { ...alone.metadata, annotations: { [KEY]: 'when-failed' } };
    await herd.apply({
      ...alone,
      metadata,
      spec: { class: { kind: 'MachineClass', name: 'full' }, creationTimeout: '2s' },
    });
    await herd.kubectl('wait', 'mc/late', '--for=condition=Preserved', '--timeout=45s');
    const { status } = (await herd.machines())[0] as Machine;
    expect([status?.currentStatus?.phase, status?.nodeRef]).toEqual(['Failed', undefined]);
    await herd.kubectl('annotate', 'mc', 'late', `${KEY}=false`, '--overwrite');
    await herd.kubectl('wait', 'mc/late', '--for=condition=Preserved=False', '--timeout=45s');
  });
});

describe('a running machine', () => {
  test('is preserved by a word on its Node, until its time is over', async () => {
    await make({ replicas: 1 }, { machinePreserveTimeout: '5s' });
    const [machine] = (await herd.whenRunning(1)) as [Machine];
    await herd.kubectl('annotate', 'node', machine.metadata.name, `${KEY}=now`);
    await herd.eventually('the Node to show it', async () =>
      Bun.deepEquals(await nodeOf(machine), {
        tainted: false,
        shielded: true,
        preserved: 'True Preserved by user.',
        wish: 'now',
      }),
    );
    const applied = 'node.machine.sapcloud.io/last-applied-node-preserve-value';
    await herd.eventually(
      'the word to be noted',
      async () => (await find(machine))?.metadata.annotations?.[applied] === 'now',
    );
    await herd.eventually('the time to be over', async () => expiryOf(await find(machine)) === undefined);
    expect(await nodeOf(machine)).toEqual({
      tainted: false,
      shielded: false,
      preserved: 'False Preservation stopped.',
      wish: undefined,
    });
    expect((await find(machine))?.metadata.annotations?.[applied]).toBeUndefined();
    await herd.whenRunning(1);
  });

  test('is judged although the API server refuses what preservation writes to its Node', async () => {
    await make({ replicas: 1 });
    const [machine] = (await herd.whenRunning(1)) as [Machine];
    const { name } = machine.metadata;
    await forbidShield(name);
    await herd.kubectl('annotate', 'mc', name, `${KEY}=now`);
    const refused = '--for=jsonpath={.status.conditions[?(@.type=="PreservationApplied")].reason}=WriteRefused';
    await herd.kubectl('wait', `mc/${name}`, refused, '--timeout=45s');
    await setBroken(machine, true);
    await whenKept(machine);
    await herd.kubectl('delete', 'validatingadmissionpolicy,validatingadmissionpolicybinding', `no-shield-${name}`);
  });
});

/** Admission refuses the autoscaler's annotation on this Node, and waits until it does. */
async function forbidShield(name: string): Promise<void> {
  const shield = 'cluster-autoscaler.kubernetes.io/scale-down-disabled';
  const metadata = { name: `no-shield-${name}` };
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const resourceRules = [
    { apiGroups: [''], apiVersions: ['v1'], resources: ['nodes'], operations: ['UPDATE'], resourceNames: [name] },
  ];
  const expression = `!has(object.metadata.annotations) || !('${shield}' in object.metadata.annotations)`;
  await herd.apply({
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata,
    spec: { failurePolicy: 'Fail', matchConstraints: { resourceRules }, validations: [{ expression }] },
  });
  const binding = { policyName: metadata.name, validationActions: ['Deny'] };
  await herd.apply({ apiVersion, kind: 'ValidatingAdmissionPolicyBinding', metadata, spec: binding });
  await herd.eventually('admission to refuse', async () => {
    const tried = await herd.kubectl('annotate', 'node', name, `${shield}=x`, '--dry-run=server').catch(String);
    return tried.includes('denied');
  });
}
