import { afterEach, describe, expect, test } from 'bun:test';
import { useHerd } from './support/herdfixture.ts';

const herd = useHerd();
const apiVersion = 'admissionregistration.k8s.io/v1';

type Operation = 'CREATE' | 'UPDATE';

/** Somebody's policy refuses what breaks the expression for objects of the herd, MachineSets for example. */
async function refuse(operation: Operation, expression: string, resource = 'machinesets'): Promise<void> {
  const metadata = { name: `${herd.namespace}-sets` };
  const rule = {
    apiGroups: ['machine.sapcloud.io'],
    apiVersions: ['*'],
    operations: [operation],
    resources: [resource],
  };
  const matchLabels = { 'kubernetes.io/metadata.name': herd.namespace };
  const matchConstraints = { resourceRules: [rule], namespaceSelector: { matchLabels } };
  const spec = {
    failurePolicy: 'Fail',
    matchConstraints,
    validations: [{ expression, message: 'it is refused here' }],
  };
  await herd.apply({ apiVersion, kind: 'ValidatingAdmissionPolicy', metadata, spec });
  const binding = { policyName: metadata.name, validationActions: ['Deny'] };
  await herd.apply({ apiVersion, kind: 'ValidatingAdmissionPolicyBinding', metadata, spec: binding });
}

const relent = () =>
  herd.kubectl(
    'delete',
    'validatingadmissionpolicybinding,validatingadmissionpolicy',
    `${herd.namespace}-sets`,
    '--ignore-not-found',
  );

afterEach(relent);

const progress = (what: 'reason' | 'message', name: string) =>
  herd.kubectl('get', `mcd/${name}`, '-o', `jsonpath={.status.conditions[?(@.type=="Progressing")].${what}}`);

describe('a MachineDeployment whose set may not be made', () => {
  test('says so for its present generation, and goes on when it may', async () => {
    await refuse('CREATE', "!object.metadata.name.startsWith('refused-')");
    const probe = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'MachineSet', metadata: { name: 'refused-x' } };
    const labels = { of: 'probe' };
    const template = { metadata: { labels }, spec: { class: { kind: 'MachineClass', name: 'small' } } };
    await herd.eventually('admission to refuse', async () => {
      const tried = herd.apply({ ...probe, spec: { replicas: 0, selector: { matchLabels: labels }, template } });
      const isRefused = await tried.then(
        () => false,
        (error) => String(error).includes('it is refused here'),
      );
      if (!isRefused) await herd.kubectl('delete', 'mcs/refused-x');
      return isRefused;
    });
    await herd.makeDeployment({ replicas: 1, name: 'refused' });
    await herd.eventually(
      'the condition',
      async () => (await progress('reason', 'refused')) === 'MachineSetCreateError',
    );
    expect(await progress('message', 'refused')).toMatch(
      /^Failed to create machine set refused-\w{5}: .*it is refused here/,
    );
    expect(await herd.kubectl('get', 'mcd/refused', '-o', 'jsonpath={.status.observedGeneration}')).toBe('1');
    await relent();
    await herd.whenRunning(1);
    await herd.eventually('the end', async () => (await progress('reason', 'refused')) === 'NewMachineSetAvailable');
  });
});

// hack/decisions/0051 S6
test('a set that may not be changed keeps no other step of its deployment from being taken, and is told', async () => {
  await herd.makeDeployment({ replicas: 2, name: 'pool' });
  await herd.whenRunning(2);
  // Only what changes settings is refused.
  await refuse('UPDATE', 'object.spec.?minReadySeconds.orValue(0) != 7');
  await herd.eventually('admission to refuse', async () => {
    const [set] = await herd.sets();
    const tried = herd.kubectl(
      'patch',
      `mcs/${set?.metadata.name}`,
      '--type=merge',
      '--dry-run=server',
      '-p',
      '{"spec":{"minReadySeconds":7}}',
    );
    return tried.then(
      () => false,
      (error) => String(error).includes('it is refused here'),
    );
  });
  await herd.kubectl('patch', 'mcd/pool', '--type=merge', '-p', '{"spec":{"minReadySeconds":7,"replicas":3}}');
  await herd.whenRunning(3);
  const failure = (what: string) => `jsonpath={.status.conditions[?(@.type=="ReplicaFailure")].${what}}`;
  await herd.kubectl('wait', 'mcd/pool', `--for=${failure('reason')}=FailedUpdate`, '--timeout=45s');
  expect(await herd.kubectl('get', 'mcd/pool', '-o', failure('message'))).toContain('it is refused here');
});

// hack/decisions/0051 S22
test('a machine that may not be changed goes with the others when its set shrinks', async () => {
  await herd.makeDeployment({ replicas: 2, name: 'pool' });
  await herd.whenRunning(2);
  const protege = (await herd.machines())[0]?.metadata.name;
  const timeout = 'object.spec.?drainTimeout.orValue("") != "1h0m0s"';
  await refuse('UPDATE', `object.metadata.name != '${protege}' || ${timeout}`, 'machines');
  await herd.eventually('admission to refuse', () =>
    herd
      .kubectl('patch', `mc/${protege}`, '--type=merge', '--dry-run=server', '-p', '{"spec":{"drainTimeout":"1h0m0s"}}')
      .then(
        () => false,
        (error) => String(error).includes('it is refused here'),
      ),
  );
  const template = { spec: { drainTimeout: '1h0m0s' } };
  await herd.kubectl('patch', 'mcd/pool', '--type=merge', '-p', JSON.stringify({ spec: { replicas: 0, template } }));
  await herd.eventually('nothing to be left', async () => (await herd.machines()).length === 0);
});

// hack/decisions/0051 S19g
test('a herd whose labels somebody strips is not made anew: one machine is let go, and a condition says why', async () => {
  await herd.makeDeployment({ replicas: 3, name: 'pool' });
  await herd.whenRunning(3);
  await herd.kubectl('label', 'mc', '--all', 'pool-');
  const failure = 'jsonpath={.status.conditions[?(@.type=="ReplicaFailure")].reason}';
  await herd.kubectl('wait', 'mcd/pool', `--for=${failure}=ReleaseLimitExceeded`, '--timeout=20s');
  await herd.eventually('its replacement', async () => (await herd.machines()).length === 4);
  expect(await herd.vms()).toHaveLength(4);
});

test('a rollout that waits names the machines that it waits for, also while it is paused and resumed', async () => {
  await herd.makeClass('never', { faults: { vms: [{ fate: 'NeverJoins' }] } });
  await herd.makeDeployment({ replicas: 1, name: 'slow', class: 'never' });
  const names =
    /^0 of 1 machines are of the newest template and available; waiting for slow-\w{5}-\w{5} \(Pending\) to become available$/;
  await herd.eventually('its name', async () => names.test(await progress('message', 'slow')));
  for (const [paused, reason] of [
    ['true', 'DeploymentPaused'],
    ['false', 'DeploymentResumed'],
  ]) {
    await herd.kubectl('patch', 'mcd/slow', '--type=merge', '-p', `{"spec":{"paused":${paused}}}`);
    await herd.eventually(`${reason}`, async () => (await progress('reason', 'slow')) === reason);
  }
  expect(await progress('message', 'slow')).toMatch(names);
});
