import { expect, test } from 'bun:test';
import { type Node, nodes } from '../../controller/runtime/k8s/core.ts';
import { useHerd } from './support/herdfixture.ts';

/** hack/decisions/0028 T28: what an API server accepts is not always what it keeps. */

const herd = useHerd();

/** PATCH requests of Nodes that the API server has answered. */
async function patches(): Promise<number> {
  const counted = /^apiserver_request_total\{[^}]*resource="nodes"[^}]*verb="PATCH"[^}]*\} (\S+)/gm;
  const text = await herd.kubectl('get', '--raw', '/metrics');
  return [...text.matchAll(counted)].reduce((sum, [, count]) => sum + Number(count), 0);
}

const KINDS = 'mutatingadmissionpolicy,mutatingadmissionpolicybinding';

/** A policy of the cluster takes every cordon of this Node back. */
async function takingBack(name: string): Promise<() => Promise<unknown>> {
  const kinds = await herd.kubectl('api-resources', '--api-group=admissionregistration.k8s.io');
  const apiVersion = /mutatingadmissionpolicies\s+(admissionregistration\S+)/.exec(kinds)?.[1] ?? '';
  const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['nodes'], operations: ['UPDATE'] };
  const expression = '[JSONPatch{op: "remove", path: "/spec/unschedulable"}]';
  const isCordoned = 'has(object.spec.unschedulable) && object.spec.unschedulable';
  await herd.apply({
    apiVersion,
    kind: 'MutatingAdmissionPolicy',
    metadata: { name },
    spec: {
      failurePolicy: 'Ignore',
      reinvocationPolicy: 'Never',
      matchConstraints: { resourceRules: [{ ...rule, resourceNames: [name] }] },
      matchConditions: [{ name: 'cordon', expression: isCordoned }],
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
    },
  });
  await herd.apply({
    apiVersion,
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name },
  });
  const cordon = (unschedulable: true | null) =>
    herd.api.patch<Node>(nodes, { name }, { type: 'merge', body: { spec: { unschedulable } } });
  await herd.eventually('admission to take it back', async () => {
    const { spec } = await cordon(true);
    if (spec?.unschedulable) await cordon(null);
    return !spec?.unschedulable;
  });
  return () => herd.kubectl('delete', KINDS, name);
}

test('a Machine whose cordon is taken back says so, and goes by force', async () => {
  const name = `cordon-${herd.namespace}`;
  await herd.apply(herd.alone(name, 'small'));
  await herd.whenRunning(1);
  const keep = await takingBack(name);
  try {
    const before = await patches();
    await herd.kubectl('label', 'mc', name, 'force-deletion=True');
    await herd.kubectl('delete', 'mc', name, '--timeout=45s');
    expect((await patches()) - before).toBeLessThan(20);
    const says = 'WriteRefused Drained: accepted, but not kept: spec.unschedulable';
    await herd.eventually('an event', async () => (await herd.events()).includes(says));
  } finally {
    await keep();
  }
});

test.each([
  ['example.com/x', '100E', 'large'],
  ['cpu', '1e-10', 'fine'],
])('virtual capacity %s: %s, which no Node keeps as it is, is written once', async (resource, amount, name) => {
  const machine = `${name}-${herd.namespace}`;
  await herd.apply({
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineClass',
    metadata: { name },
    provider: 'virtual',
    providerSpec: {},
    nodeTemplate: {
      capacity: { cpu: '1' },
      virtualCapacity: { [resource]: amount },
      instanceType: 'x',
      region: 'r',
      zone: 'z',
    },
  });
  await herd.apply(herd.alone(machine, name));
  await herd.whenRunning(1);
  await herd.eventually('the capacity', async () => {
    const { status } = await herd.api.get(nodes, { name: machine });
    return status?.capacity?.[resource] !== undefined;
  });
  const before = await patches();
  await Bun.sleep(3_000);
  expect((await patches()) - before).toBeLessThan(20);
  const events = (await herd.events()).split('\n');
  expect(events.filter((line) => line.includes(machine) && line.includes('WriteRefused'))).toEqual([]);
});
