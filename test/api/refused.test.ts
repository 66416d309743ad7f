import { describe, expect, test } from 'bun:test';
import { type Node, nodes } from '../../controller/runtime/k8s/core.ts';
import { NODE_FINALIZER } from '../../schemas/keys.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { useHerd } from './support/herdfixture.ts';

/** Writes that an API server refuses, and Nodes that MCM had before. */

const herd = useHerd();
const machineOf = (name: string): Promise<Machine> =>
  herd.api.get(resources.machines, { namespace: herd.namespace, name });

const OURS = 'validatingadmissionpolicy,validatingadmissionpolicybinding';

/** Admission refuses what does not fulfil this of Machines of this name in the namespace, and waits until it does. */
async function demand(name: string, expression: string, trial: string): Promise<() => Promise<unknown>> {
  const metadata = { name: `${herd.namespace}-${name}` };
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const rule = { apiGroups: ['machine.sapcloud.io'], apiVersions: ['v1alpha1'], resources: ['machines'] };
  await herd.apply({
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata,
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [{ ...rule, operations: ['UPDATE'], resourceNames: [name] }] },
      matchConditions: [{ name: 'here', expression: `request.namespace == '${herd.namespace}'` }],
      validations: [{ expression, message: 'not today', reason: 'Invalid' }],
    },
  });
  const spec = { policyName: metadata.name, validationActions: ['Deny'] };
  await herd.apply({ apiVersion, kind: 'ValidatingAdmissionPolicyBinding', metadata, spec });
  await herd.eventually('admission to refuse', async () => {
    const tried = await herd
      .kubectl('patch', 'mc', name, '--type=merge', '-p', trial, '--dry-run=server')
      .catch(String);
    return tried.includes('not today');
  });
  return () => herd.kubectl('delete', OURS, metadata.name);
}

const told = () => herd.events();

describe('hack/decisions/0051 L12: a write that the API server refuses', () => {
  test('is told on the machine that leaves, and made as soon as it may be', async () => {
    await herd.apply(herd.alone('m', 'small'));
    await herd.whenRunning(1);
    const allow = await demand('m', 'has(object.metadata.finalizers)', '{"metadata":{"finalizers":null}}');
    await herd.kubectl('delete', 'mc/m', '--wait=false');
    await herd.whenDecided('m', 'WriteRefused');
    const { status } = await machineOf('m');
    expect(status?.conditions?.find(({ type }) => type === 'FinalizerRemoved')).toMatchObject({
      status: 'False',
      reason: 'WriteRefused',
      message: expect.stringContaining('not today'),
    });
    expect(status?.lastOperation).toMatchObject({
      type: 'Delete',
      state: 'Failed',
      description: expect.stringContaining('not today'),
    });
    await herd.eventually('an event', async () => /WriteRefused FinalizerRemoved: .*not today/.test(await told()));
    await allow();
    await herd.kubectl('wait', 'mc/m', '--for=delete', '--timeout=50s');
    expect(await herd.vms()).toEqual([]);
  });
});

describe('hack/decisions/0051 L13: a Node that MCM had before', () => {
  /** A machine that runs, and whose Node carries MCM's finalizer. */
  async function takenOver(): Promise<{ name: string; node: Node }> {
    const name = `m-${herd.namespace}`;
    await herd.apply(herd.alone(name, 'small'));
    await herd.whenRunning(1);
    const finalizers = [NODE_FINALIZER];
    const node = await herd.api.patch(nodes, { name }, { type: 'merge', body: { metadata: { finalizers } } });
    return { name, node };
  }

  test('goes when it is deleted by hand', async () => {
    const { name, node } = await takenOver();
    await herd.kubectl('delete', 'node', name, '--timeout=45s');
    await herd.eventually('an event', async () => (await told()).includes('ReleaseNode'));
    const now = await herd.api.get(nodes, { name }).catch(() => undefined);
    expect(now?.metadata.uid).not.toBe(node.metadata.uid);
    expect((await machineOf(name)).metadata.deletionTimestamp).toBeUndefined();
  });

  test('keeps the finalizer until then, and goes with its machine', async () => {
    const { name } = await takenOver();
    expect((await herd.api.get(nodes, { name })).metadata.finalizers).toEqual([NODE_FINALIZER]);
    await herd.kubectl('delete', `mc/${name}`, '--timeout=45s');
    await expect(herd.api.get(nodes, { name })).rejects.toThrow('404');
  });
});
