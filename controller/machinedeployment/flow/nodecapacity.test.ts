import { describe, expect, test } from 'bun:test';
import { machineClass, machineDeployment } from '../../../test/fixtures/objects.ts';
import { capacityAnnotated } from './nodecapacity.ts';
import { view } from './view.fixture.ts';

const MAX = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size';
const RECORD = 'drover.dev/last-applied-capacity';
const at = (end: string) => `capacity.cluster-autoscaler.kubernetes.io/${end}`;

const nodeTemplate = {
  capacity: { cpu: 4, memory: '16Gi', gpu: '0' },
  instanceType: 'm5',
  region: 'eu',
  zone: 'eu-a',
};
const told = {
  [at('cpu')]: '4',
  [at('memory')]: '16Gi',
  [at('labels')]:
    'node.kubernetes.io/instance-type=m5,topology.kubernetes.io/region=eu,topology.kubernetes.io/zone=eu-a',
};
const record = (applied: object) => ({ [RECORD]: JSON.stringify(applied) });
const small = machineClass({ nodeTemplate } as never);
type Template = NonNullable<Parameters<typeof machineDeployment>[0]>['spec'];

/** The annotations that are written for a deployment with these. */
function written(annotations: Record<string, string>, found: typeof small | undefined = small, spec: Template = {}) {
  const deployment = machineDeployment({ metadata: { annotations }, spec });
  const outcome = capacityAnnotated({ ...view(deployment, []), class: found });
  return outcome.kind === 'act' && outcome.action.do === 'annotate' ? outcome.action.annotations : undefined;
}

describe('the capacity of a class (hack/spec/cluster-api.md E3.7)', () => {
  test.each([
    ['is told to a node group', { [MAX]: '3' }, { ...told, ...record(told) }],
    [
      'is told by the bound in MCM’s group, too',
      { [MAX.replace('cluster.x-k8s.io', 'machine.sapcloud.io')]: '3' },
      { ...told, ...record(told) },
    ],
    ['is nobody’s business without bounds', {}, undefined],
    ['is nobody’s business where the bound is 0', { [MAX]: '0' }, undefined],
    ['is told once', { [MAX]: '3', ...told, ...record(told) }, undefined],
    [
      'leaves alone what the user wrote',
      { [MAX]: '3', [at('cpu')]: '2' },
      { [at('memory')]: '16Gi', [at('labels')]: told[at('labels')], ...record({ ...told, [at('cpu')]: undefined }) },
    ],
    [
      'is the user’s once they changed it',
      { [MAX]: '3', ...told, [at('cpu')]: '2', ...record(told) },
      record({ ...told, [at('cpu')]: undefined }),
    ],
    [
      'follows the class',
      { [MAX]: '3', ...told, [at('cpu')]: '2', ...record({ ...told, [at('cpu')]: '2' }) },
      { [at('cpu')]: '4', ...record(told) },
    ],
    [
      'goes with the bounds',
      { ...told, [at('maxPods')]: '30', ...record(told) },
      { ...Object.fromEntries(Object.keys(told).map((key) => [key, null])), [RECORD]: null },
    ],
    ['is told beside a record that nobody can read', { [MAX]: '3', ...told, [RECORD]: '{' }, { [RECORD]: null }],
  ] as Array<[string, Record<string, string>, object | undefined]>)('%s', (_what, annotations, wanted) => {
    expect(written(annotations)).toEqual(wanted as never);
  });

  test('stays as it is while the class is not there', () => {
    const deployment = machineDeployment({ metadata: { annotations: { [MAX]: '3', ...told, ...record(told) } } });
    expect(capacityAnnotated(view(deployment, [])).kind).toBe('pass');
  });

  test('tells GPUs with a type, pods, disk, and what the template puts on Nodes', () => {
    const big = { ...nodeTemplate, capacity: { gpu: '2', pods: '30', 'ephemeral-storage': '1Ti' }, zone: '' };
    const spec = {
      metadata: { labels: { team: 'a' } },
      spec: { taints: [{ key: 'dedicated', value: 'x', effect: 'NoSchedule' }] },
    };
    const annotations = written({ [MAX]: '3' }, machineClass({ nodeTemplate: big } as never), {
      template: { spec: { nodeTemplate: spec } },
    } as never);
    expect(annotations).toMatchObject({
      [at('gpu-count')]: '2',
      [at('gpu-type')]: 'nvidia.com/gpu',
      [at('maxPods')]: '30',
      [at('ephemeral-disk')]: '1Ti',
      [at('labels')]: 'node.kubernetes.io/instance-type=m5,topology.kubernetes.io/region=eu,team=a',
      [at('taints')]: 'dedicated=x:NoSchedule',
    });
  });
});
