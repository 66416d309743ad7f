import { describe, expect, test } from 'bun:test';
import { type Node, nodes } from '../../controller/runtime/k8s/core.ts';
import { resources } from '../../schemas/kinds.ts';
import { useHerd } from './support/herdfixture.ts';

const herd = useHerd();

const MARK = 'deployment.machine.sapcloud.io/prefer-no-schedule';
const SCALE_DOWN_DISABLED = 'cluster-autoscaler.kubernetes.io/scale-down-disabled';
const OURS = `${SCALE_DOWN_DISABLED}-by-mcm`;

const isTainted = ({ spec }: Node) =>
  spec?.taints?.some(({ key, effect }) => key === MARK && effect === 'PreferNoSchedule') ?? false;
const isShielded = ({ metadata }: Node) =>
  metadata.annotations?.[SCALE_DOWN_DISABLED] === 'true' && metadata.annotations[OURS] === 'true';
const nodesOf = async (name: string) =>
  herd.nodesOf((await herd.machines()).filter(({ spec }) => spec?.class?.name === name));
const roll = (name: string) =>
  herd.kubectl(
    'patch',
    'mcd/pool',
    '--type=merge',
    '-p',
    JSON.stringify({ spec: { template: { spec: { class: { kind: 'MachineClass', name } } } } }),
  );
const marksOf = async () =>
  (await herd.sets()).map(({ metadata, spec }) => [spec?.template?.spec?.class?.name, metadata.annotations?.[MARK]]);

describe('Nodes of a MachineDeployment that rolls (hack/spec/mcm.md 4.7)', () => {
  test('are avoided by pods and left alone by an autoscaler, until all is rolled out or rolled back', async () => {
    await herd.makeClass('stuck', { faults: { vms: [{ fate: 'NeverJoins' }] } });
    await herd.makeDeployment({ replicas: 2 });
    const machines = await herd.whenRunning(2);
    expect((await herd.nodesOf(machines)).some((node) => isTainted(node) || isShielded(node))).toBe(false);
    await roll('stuck');
    await herd.eventually('the old Nodes to be prepared', async () => {
      const old = await nodesOf('small');
      return old.length === 2 && old.every((node) => isTainted(node) && isShielded(node));
    });
    await herd.eventually('the old set to be marked', async () =>
      (await marksOf()).some(([name, mark]) => name === 'small' && mark === 'True'),
    );
    await herd.kubectl('patch', 'mcd/pool', '--type=merge', '-p', JSON.stringify({ spec: { rollbackTo: {} } }));
    await herd.whenRunning(2);
    await herd.eventually('the Nodes to be given back', async () => {
      const back = await nodesOf('small');
      return back.length === 2 && !back.some((node) => isTainted(node) || isShielded(node));
    });
    expect((await marksOf()).filter(([name, mark]) => name === 'small' && mark !== undefined)).toEqual([]);
  });

  test('are released when a rollout is complete', async () => {
    await herd.makeClass('large');
    await herd.makeDeployment({ replicas: 2 });
    await herd.whenRunning(2);
    await roll('large');
    await herd.eventually('the roll to end', async () =>
      (await herd.machines()).every(({ spec }) => spec?.class?.name === 'large'),
    );
    await herd.whenRunning(2);
    await herd.eventually('the Nodes to be released', async () => {
      const released = await nodesOf('large');
      return released.length === 2 && !released.some((node) => isTainted(node) || node.metadata.annotations?.[OURS]);
    });
  });

  // hack/decisions/0028 M19
  test("of MCM's machine controller are prepared as well, whatever words an AWS Node has for its VM", async () => {
    for (const name of ['elsewhere', 'elsewhere-new']) await herd.makeClass(name, {}, 'AWS');
    await herd.makeDeployment({ replicas: 1, class: 'elsewhere' });
    await herd.eventually('a machine', async () => (await herd.machines()).length === 1);
    const [name = ''] = (await herd.machines()).map(({ metadata }) => metadata.name);
    const labels = { 'node.gardener.cloud/machine-name': name };
    await herd.api.create(nodes, { metadata: { name, labels }, spec: { providerID: `aws:///eu-west-1a/${name}` } });
    const body = { metadata: { labels: { node: name } }, spec: { providerID: `aws:///eu-west-1/${name}` } };
    await herd.api.patch(resources.machines, { namespace: herd.namespace, name }, { type: 'merge', body });
    await roll('elsewhere-new');
    await herd.eventually('the old Node to be prepared', async () =>
      (await nodesOf('elsewhere')).some((node) => isTainted(node) && isShielded(node)),
    );
    const [left] = await nodesOf('elsewhere');
    expect(left?.metadata.annotations).not.toHaveProperty(['machine.sapcloud.io/machine']);
    await herd.api.delete(nodes, { name });
  });
});
