import { expect, test } from 'bun:test';
import { machineDeployment } from '../../../test/fixtures/objects.ts';
import { plan } from './flow.ts';
import { setOf, view } from './view.fixture.ts';
import type { SetFact } from './view.ts';

const REVISION = 'deployment.kubernetes.io/revision';

/** A deployment of the class, and the set of its template under a revision. */
const poolOf = (name: string, spec: object = {}) =>
  machineDeployment({ spec: { template: { spec: { class: { name } } }, ...spec } });
function revised(name: string, revision: string, annotations: Record<string, string> = {}): SetFact {
  const { set, machines } = setOf(poolOf(name), name, { wants: 1 });
  const all = { ...set.metadata.annotations, ...annotations, [REVISION]: revision };
  return { set: { ...set, metadata: { ...set.metadata, annotations: all } }, machines };
}

const sets = [
  // The capacity of an older class would be the user's for ever (hack/decisions/0051 S10).
  revised('first', '1', {
    owner: 'me',
    'safety.machine.sapcloud.io/unfreeze': '',
    'capacity.cluster-autoscaler.kubernetes.io/cpu': '4',
    // Nor do older bounds come back, or the time of an earlier scaling (hack/decisions/0051 U23).
    'machine.sapcloud.io/cluster-api-autoscaler-node-group-min-size': '1',
    'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size': '5',
    'machine.sapcloud.io/autoscaling-options-scaledownunneededtime': '1h',
    'machine.sapcloud.io/last-deployment-replica-change-by-scaler-time': '2026-01-01T00:00:00Z',
  }),
  revised('second', '2'),
  revised('third', '3'),
];

/** What a rollback of a deployment of this class comes to. */
function rolled(name: string, revision: number | undefined, among: readonly SetFact[] = sets) {
  const { step, outcome } = plan(view(poolOf(name, { rollbackTo: { revision } }), among));
  if (outcome.kind !== 'act' || outcome.action.do !== 'rollBack') return step;
  const { patch, note } = outcome.action;
  const { template, rollbackTo } = patch.spec as { template: { spec?: { class?: object } }; rollbackTo: null };
  return {
    to: template.spec?.class,
    rollbackTo,
    annotations: (patch.metadata as { annotations: object }).annotations,
    event: note.reason,
    type: note.type,
  };
}

const gone = { rollbackTo: null, annotations: {} };

test.each([
  [
    'to a revision',
    'third',
    1,
    sets,
    { ...gone, to: { name: 'first' }, annotations: { owner: 'me' }, event: 'DeploymentRollback', type: 'Normal' },
  ],
  [
    'to 0: the one before',
    'third',
    0,
    sets,
    { ...gone, to: { name: 'second' }, event: 'DeploymentRollback', type: 'Normal' },
  ],
  [
    'without a number: the one before',
    'third',
    undefined,
    sets,
    { ...gone, to: { name: 'second' }, event: 'DeploymentRollback', type: 'Normal' },
  ],
  [
    'to 0 while the present template has no set yet: the latest',
    'fourth',
    0,
    sets,
    { ...gone, to: { name: 'third' }, event: 'DeploymentRollback', type: 'Normal' },
  ],
  [
    'to the present one',
    'third',
    3,
    sets,
    { ...gone, to: undefined, event: 'DeploymentRollbackTemplateUnchanged', type: 'Warning' },
  ],
  [
    'to one that is not there',
    'third',
    9,
    sets,
    { ...gone, to: undefined, event: 'DeploymentRollbackRevisionNotFound', type: 'Warning' },
  ],
  [
    'to 0 when there was none before',
    'third',
    0,
    sets.slice(2),
    { ...gone, to: undefined, event: 'DeploymentRollbackRevisionNotFound', type: 'Warning' },
  ],
] as const)('a rollback %s (hack/spec/mcm.md 4.8)', (_what, name, revision, among, outcome) => {
  expect<unknown>(rolled(name, revision, among)).toEqual(outcome);
});

test('a rollback takes the hash label off, and what the template has now and the set has not', () => {
  const template = {
    metadata: { annotations: { note: 'new' } },
    spec: { class: { name: 'third' }, drainTimeout: '1h' },
  };
  const { outcome } = plan(view(machineDeployment({ spec: { template, rollbackTo: { revision: 1 } } }), sets));
  expect(outcome).toMatchObject({
    action: { patch: { spec: { template: { metadata: { annotations: null }, spec: { drainTimeout: null } } } } },
  });
  expect(JSON.stringify(outcome)).not.toContain('machine-template-hash');
});

test('a rollback brings back the annotations that the set’s template had', () => {
  const [first] = sets;
  if (!first) throw new Error('no set');
  const { spec } = first.set;
  const metadata = { ...spec?.template?.metadata, annotations: { note: 'first' } };
  const noted = { ...first, set: { ...first.set, spec: { ...spec, template: { ...spec?.template, metadata } } } };
  const { outcome } = plan(view(poolOf('third', { rollbackTo: { revision: 1 } }), [noted, ...sets.slice(1)]));
  const template = { metadata: { annotations: { note: 'first' } } };
  expect(outcome).toMatchObject({ action: { patch: { spec: { template } } } });
});

test('a deployment that is paused keeps the wish', () => {
  const paused = poolOf('third', { rollbackTo: { revision: 1 }, paused: true });
  expect(plan(view(paused, sets)).step).not.toBe('RolledBack');
});
