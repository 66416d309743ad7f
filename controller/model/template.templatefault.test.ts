import { describe, expect, test } from 'bun:test';
import { ANNOTATION_REVISION, LABEL_CLUSTER } from '../../schemas/keys.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import { at, machine, machineDeployment, machineSet } from '../../test/fixtures/objects.ts';
import { reasonOf } from '../flow/flow.ts';
import { liveSteps as deploymentSteps, plan as planDeployment } from '../machinedeployment/flow/flow.ts';
import { statusOf as statusOfDeployment } from '../machinedeployment/flow/status.ts';
import { view as deploymentView, setOf } from '../machinedeployment/flow/view.fixture.ts';
import { resolve } from '../machinedeployment/flow/view.ts';
import { plan as planSet } from '../machineset/flow/flow.ts';
import { statusOf as statusOfSet } from '../machineset/flow/status.ts';
import { view as setView } from '../machineset/flow/view.fixture.ts';
import { templateFault } from './template.ts';

const cluster = (name: string) => ({ labels: { [LABEL_CLUSTER]: name } });
const bad = { spec: { template: { spec: { taints: [{ key: '-', effect: 'NoSchedule' as const }] } } } };
const says = 'spec.template.spec.taints[0] is no taint that a Node can carry';
const told = { type: 'SpecValid', status: 'False', reason: 'SpecInvalid', message: says } as const;

const shown = (decision: Parameters<typeof reasonOf>[0]): string => `${decision.step} ${reasonOf(decision)}`;

test.each([
  [
    'of the same cluster',
    machineSet({ metadata: cluster('west'), spec: { template: { metadata: cluster('west') } } }),
    undefined,
  ],
  ['of no cluster', machineDeployment({ metadata: cluster('west') }), undefined],
  [
    'of another cluster (hack/decisions/0000 4)',
    machineSet({ metadata: cluster('west'), spec: { template: { metadata: cluster('east') } } }),
    `spec.template.metadata.labels[${LABEL_CLUSTER}] is "east", that of metadata.labels "west": machines belong to the cluster of what makes them`,
  ],
  ['with a spec that cannot come true', machineDeployment(bad), says],
  [
    'with a finalizer that no object may have (hack/decisions/0051 U29)',
    machineDeployment({ spec: { template: { metadata: { finalizers: ['example.com/audit', 'not one!'] } } } }),
    'spec.template.metadata.finalizers[1] is not a finalizer: write prefix/name, such as example.com/audit, the name of at most 63 letters, digits, -, _ and .',
  ],
])('a template %s', (_what, object, fault) => {
  expect(templateFault(object)).toBe(fault as string);
});

describe('a set whose template cannot come true (hack/decisions/0000 3)', () => {
  const set = machineSet(bad);
  test('makes no machine, and says why', () => {
    const view = setView({ set });
    expect(shown(planSet(view))).toBe('SpecValid SpecInvalid');
    const conditions = statusOfSet(view, undefined, at(60)).machineSetCondition;
    expect(conditions).toEqual([{ ...told, lastTransitionTime: at(60) }]);
    const later = setView({ set: { ...set, status: { machineSetCondition: conditions } } });
    expect(statusOfSet(later, undefined, at(90)).machineSetCondition).toEqual(conditions);
    const mended = setView({ set: { ...machineSet(), status: { machineSetCondition: conditions } } });
    expect(statusOfSet(mended, undefined, at(90)).machineSetCondition).toBeUndefined();
  });

  test('still gives up machines that are too many', () => {
    const machines = ['a', 'b', 'c', 'd'].map((name) => machine({ metadata: { name, uid: name } }));
    expect(shown(planSet(setView({ set, machines })))).toBe('ScaledDown DeleteMachines');
  });
});

describe('a deployment', () => {
  const stuck = {
    metadata: { annotations: { [ANNOTATION_REVISION]: '2' } },
    spec: { strategy: { rollingUpdate: { maxSurge: '25', maxUnavailable: 0 } } },
  };
  const old = (deployment: MachineDeployment) => {
    const older = { ...deployment, spec: { ...deployment.spec, template: machineDeployment().spec.template } };
    return setOf(older, 'old', { wants: 3 });
  };

  test.each(['RollingUpdate', 'Recreate'] as const)('leaves what is there, and makes nothing, by %s', (type) => {
    const template = { spec: { ...bad.spec.template.spec, class: { name: 'other' } } };
    const deployment = machineDeployment({ spec: { template, strategy: { type } } });
    const view = deploymentView(deployment, [old(deployment)]);
    expect(shown(planDeployment(view))).toBe('NewMachineSetFound SpecInvalid');
    expect(statusOfDeployment(view, at(60)).conditions).toContainEqual(expect.objectContaining(told));
  });

  test('rolls out nothing by a strategy that cannot be read (hack/decisions/0000 3), and is scaled all the same', () => {
    const deployment = machineDeployment(stuck);
    const fresh = setOf(deployment, 'new', { wants: 2 });
    const other = machineDeployment({ spec: { template: { spec: { class: { name: 'old' } } } } });
    const view = deploymentView(deployment, [setOf(other, 'old', { wants: 1 }), fresh]);
    const judge = (step: string, seen: typeof view) => deploymentSteps[step]?.(seen);
    expect(judge('RolloutComplete', view)).toMatchObject({ kind: 'fail', reason: 'SpecInvalid' });
    const smaller = { ...deployment, spec: { ...deployment.spec, replicas: 1 } };
    expect(judge('Scaled', { ...view, deployment: smaller })).toMatchObject({ kind: 'act', reason: 'Scale' });
    const rolledOut = deploymentView(deployment, [
      setOf(other, 'old', { wants: 0 }),
      setOf(deployment, 'new', { wants: 3 }),
    ]);
    expect(judge('RolloutComplete', rolledOut)).toEqual({ kind: 'pass' });
    const settled = { ...deployment, status: { conditions: statusOfDeployment(view, at(60)).conditions } };
    const mended = { ...settled, spec: machineDeployment().spec };
    const after = statusOfDeployment(deploymentView(mended, [fresh]), at(90)).conditions?.map(({ type }) => type);
    expect(after).not.toContain('SpecValid');
  });

  test('counts a share that cannot be read as nothing', () => {
    expect(resolve(4, 'x%', 'x%')).toEqual({ surge: 0, unavailable: 1 });
  });
});
