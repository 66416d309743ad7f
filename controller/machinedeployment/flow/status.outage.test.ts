import { expect, test } from 'bun:test';
import { machineDeployment } from '../../../test/fixtures/objects.ts';
import type { Gate } from '../../safety/outage/gate.ts';
import { plan } from './flow.ts';
import { statusOf } from './status.ts';
import { setOf, view } from './view.fixture.ts';

const shut = (away: 'control' | 'target'): Gate => ({ shut: { unreachable: away, since: 0 }, judgesFrom: 0 });
const pool = machineDeployment({ metadata: { finalizers: ['machine.sapcloud.io/machine-controller-manager'] } });
const sized = (replicas: number) => ({ ...pool, spec: { ...pool.spec, replicas } });
const { replicas = 0 } = pool.spec;
const other = {
  ...pool,
  spec: { ...pool.spec, template: { ...pool.spec.template, spec: { class: { kind: 'MachineClass', name: 'other' } } } },
};

const judged = (gate: Gate, seen: ReturnType<typeof view>): string => {
  const { step, outcome, held } = plan({ ...seen, gate });
  return [step, outcome.kind === 'pass' ? 'pass' : outcome.reason, ...(held ? [held] : [])].join(' ');
};

test.each([
  [
    'a new template waits',
    view(other, [setOf(pool, 'old', { wants: replicas })]),
    'NewMachineSetFound TargetClusterUnreachable CreateMachineSet',
  ],
  ['a first set is made', view(pool, []), 'NewMachineSetFound CreateMachineSet'],
  [
    'the end of the deployment waits',
    view({ ...pool, metadata: { ...pool.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }, [
      setOf(pool, 'new', { wants: 1 }),
    ]),
    'ChildrenDeleted TargetClusterUnreachable DeleteMachineSets',
  ],
  [
    'a rollback waits',
    view({ ...pool, spec: { ...pool.spec, rollbackTo: { revision: 1 } } }, [setOf(pool, 'new', { wants: replicas })]),
    'RolledBack TargetClusterUnreachable Rollback',
  ],
])('while the target is away %s (hack/spec/mcm.md 13.2)', (_what, seen, decision) => {
  expect(judged(shut('target'), seen)).toBe(decision);
});

test('a deployment is scaled up, and not down', () => {
  const seen = (wanted: number) => {
    const deployment = {
      ...sized(wanted),
      metadata: { ...pool.metadata, annotations: { 'deployment.kubernetes.io/revision': '1' } },
    };
    return view(deployment, [setOf(pool, 'new', { wants: replicas, scaledFor: [replicas, replicas + 1] })]);
  };
  const decisions = [replicas + 2, replicas - 1].map((wanted) => judged(shut('target'), seen(wanted)));
  expect(decisions.filter((one) => one.includes('TargetClusterUnreachable'))).toEqual([
    'Scaled TargetClusterUnreachable Scale',
  ]);
});

test('a rollout that waits for the API server tells so, and its deadline stands still', () => {
  const seen = {
    ...view(pool, [setOf(pool, 'new', { wants: replicas })]),
    held: 'the target API server is unreachable',
  };
  const { conditions = [] } = statusOf(seen, '2026-01-01T00:01:00Z');
  expect(conditions?.find(({ type }) => type === 'Progressing')).toMatchObject({
    status: 'Unknown',
    reason: 'TargetClusterUnreachable',
    message: 'the target API server is unreachable',
  });
});
