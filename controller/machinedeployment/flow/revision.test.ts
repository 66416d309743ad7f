import { describe, expect, test } from 'bun:test';
import { machineDeployment } from '../../../test/fixtures/objects.ts';
import { newSet, newSetOf, syncPatch, templateHash } from './revision.ts';
import { setOf } from './view.fixture.ts';
import { numbersOf } from './view.ts';

type Changes = Parameters<typeof machineDeployment>[0];
const pool = machineDeployment();
const changed = (template: NonNullable<NonNullable<NonNullable<Changes>['spec']>['template']>) =>
  machineDeployment({ spec: { template } });

describe('a rollout is started by a change of', () => {
  test.each([
    ['a label', { metadata: { labels: { pool: 'a', extra: 'x' } } }],
    ['an annotation', { metadata: { annotations: { note: 'x' } } }],
    // hack/decisions/0051 U16
    ['a finalizer', { metadata: { finalizers: ['example.com/inventory'] } }],
    ['the class', { spec: { class: { name: 'large' } } }],
    ['a field of our own', { spec: { image: { ref: 'debian' } } }],
  ])('%s', (_what, template) => {
    expect(newSetOf(changed(template), [setOf(pool, 'a', { wants: 1 })])).toBeUndefined();
    expect(templateHash(changed(template).spec.template, undefined)).not.toBe(
      templateHash(pool.spec.template, undefined),
    );
  });
});

describe('no rollout is started by a change of (hack/spec/mcm.md 4.4)', () => {
  test.each([
    ['the kind of the class', { spec: { class: { kind: 'Other' } } }],
    ['a time-out', { spec: { drainTimeout: '1h', creationTimeout: '2h' } }],
    ['the node template', { spec: { nodeTemplate: { metadata: { labels: { a: 'b' } } } } }],
    // hack/decisions/0051 U24
    ['the group of the class, empty in place of none', { spec: { class: { apiGroup: '' } } }],
    ['the id of a VM, empty in place of none', { spec: { providerID: '' } }],
    ['an empty list of finalizers', { metadata: { finalizers: [] } }],
    ['the hash label', { metadata: { labels: { pool: 'a', 'machine-template-hash': '7' } } }],
  ])('%s', (_what, template) => {
    const fact = setOf(pool, 'a', { wants: 1 });
    expect(newSetOf(changed(template), [fact])).toBe(fact);
  });
});

describe('an inline spec', () => {
  const inline = (providerSpec: object) =>
    machineDeployment({ spec: { template: { spec: { class: undefined, provider: 'virtual', providerSpec } } } });
  const before = inline({ tags: { team: 'blue' }, node: { os: 'linux' } });
  const fact = setOf(before, 'a', { wants: 1 });

  test('is followed in its hot fields, and starts no rollout by them', () => {
    const after = inline({ tags: { team: 'red' }, node: { os: 'linux' } });
    expect(newSetOf(after, [fact])).toBe(fact);
    expect(syncPatch(after, fact, [])).toEqual({
      spec: { template: { spec: { providerSpec: { tags: { team: 'red' } } } } },
    });
  });

  test('starts a rollout by its other fields', () => {
    expect(newSetOf(inline({ tags: { team: 'blue' }, node: { os: 'windows' } }), [fact])).toBeUndefined();
  });
});

test('the oldest of several sets of one template is the new set', () => {
  const [a, b] = [setOf(pool, 'a', { wants: 1 }), setOf(pool, 'b', { wants: 1 })];
  expect(newSetOf(pool, [a, b])).toBe(a);
});

describe('a new set', () => {
  const made = newSet(pool, [setOf(pool, 'old', { wants: 1 })], { ...numbersOf(pool), initial: 2 });
  const hash = templateHash(pool.spec.template, undefined);

  test('carries the hash in labels, selector and template, and its owner', () => {
    const labels = { pool: 'a', 'machine-template-hash': hash };
    expect(made.metadata.labels).toMatchObject(labels);
    expect(made.spec?.selector?.matchLabels).toEqual(labels);
    expect(made.spec?.template?.metadata?.labels).toEqual(labels);
    expect(made.metadata.ownerReferences).toMatchObject([
      { kind: 'MachineDeployment', name: 'pool', controller: true },
    ]);
  });

  test('knows for which size it was made, and its revision', () => {
    expect(made.metadata.annotations).toEqual({
      'deployment.kubernetes.io/desired-replicas': '3',
      'deployment.kubernetes.io/max-replicas': '4',
      'deployment.kubernetes.io/revision': '2',
      'machinedeployment.clusters.x-k8s.io/revision': '2',
    });
  });

  test('has the annotations of its deployment from the first on', () => {
    const annotated = machineDeployment({ metadata: { annotations: { owner: 'me' } } });
    const { metadata } = newSet(annotated, [], { ...numbersOf(annotated), initial: 1 });
    expect(metadata.annotations).toMatchObject({ owner: 'me' });
  });

  test('tells an autoscaler of which deployment it is (hack/spec/cluster-api.md E3.5)', () => {
    expect(made.metadata.labels).toMatchObject({ 'cluster.x-k8s.io/deployment-name': 'pool' });
    const long = newSet(machineDeployment({ metadata: { name: 'n'.repeat(64) } }), [], {
      ...numbersOf(pool),
      initial: 1,
    });
    expect(long.metadata.labels).not.toHaveProperty('cluster.x-k8s.io/deployment-name');
  });

  // hack/decisions/0051 U1
  test('tells an autoscaler of which Cluster it is', () => {
    const named = { 'cluster.k8s.io/cluster-name': 'west' };
    const west = machineDeployment({ spec: { template: { metadata: { labels: named } } } });
    const set = newSet(west, [], { ...numbersOf(west), initial: 1 });
    expect(set.metadata.labels).toMatchObject({ 'machine.sapcloud.io/cluster-name': 'west' });
    expect(set.spec?.template?.metadata?.labels).not.toHaveProperty('machine.sapcloud.io/cluster-name');
    expect(set.spec?.selector?.matchLabels).not.toHaveProperty('machine.sapcloud.io/cluster-name');
  });

  test('has a name that tools recognise', () => expect(made.metadata.name).toMatch(/^pool-[4-9b-f]{5}$/));

  test('gets another name after a collision', () => {
    const collided = newSet(machineDeployment({ status: { collisionCount: 1 } }), [], {
      ...numbersOf(pool),
      initial: 2,
    });
    expect(collided.metadata.name).not.toBe(made.metadata.name);
  });
});

describe('the new set follows the deployment', () => {
  const fact = setOf(pool, 'a', { wants: 1 });

  test('and is left alone while nothing changed', () => expect(syncPatch(pool, fact, [])).toBeUndefined());

  test('and gets the autoscaler’s marks when MCM made it', () => {
    const { labels, annotations, ...metadata } = fact.set.metadata;
    const of = (keys: Record<string, string> = {}) =>
      Object.fromEntries(Object.entries(keys).filter(([key]) => !key.includes('x-k8s.io')));
    const made = { ...fact.set, metadata: { ...metadata, labels: of(labels), annotations: of(annotations) } };
    expect(syncPatch(pool, { ...fact, set: made }, [])).toEqual({
      metadata: {
        labels: { 'cluster.x-k8s.io/deployment-name': 'pool' },
        annotations: { 'machinedeployment.clusters.x-k8s.io/revision': '1' },
      },
    });
  });

  test('in its live fields and annotations', () => {
    const changes = {
      metadata: { annotations: { owner: 'me' } },
      spec: { minReadySeconds: 5, minReadySecondsPolicy: 'Honor' as const, template: { spec: { drainTimeout: '1h' } } },
    };
    expect(syncPatch(machineDeployment(changes), fact, [])).toEqual({
      metadata: { annotations: { owner: 'me' } },
      spec: { minReadySeconds: 5, minReadySecondsPolicy: 'Honor', template: { spec: { drainTimeout: '1h' } } },
    });
  });

  test('but for annotations that are not its business', () => {
    const annotations = {
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'safety.machine.sapcloud.io/unfreeze': '',
      'capacity.cluster-autoscaler.kubernetes.io/cpu': '4',
    };
    expect(syncPatch(machineDeployment({ metadata: { annotations } }), fact, [])).toBeUndefined();
  });

  test('and takes a higher revision when it becomes new again', () => {
    expect(syncPatch(pool, fact, [setOf(pool, 'later', { wants: 0 })])).toEqual({
      metadata: {
        annotations: {
          'deployment.kubernetes.io/revision': '2',
          'deployment.kubernetes.io/revision-history': '1',
          'machinedeployment.clusters.x-k8s.io/revision': '2',
        },
      },
    });
  });
});
