import { expect, test } from 'bun:test';
import { INITIAL, McmSuite } from './mcmsuite.ts';

/** A scenario of MCM's integration suite, in its words; those of one group go on from where the one before has ended. */
interface Scenario {
  name: string;
  /** Does it, and judges what MCM's suite judges. */
  run(suite: McmSuite): void;
  /** Where the same is shown with a real API server: a file, and words of a title. */
  alsoBy?: readonly [file: string, title: string];
}

const labels = { 'test-label': 'test-label' };
const classNamed = (name: string) => ({ class: { kind: 'MachineClass', name } });
/** As in MCM's suite, `minReadySeconds` included, which nobody heeds. */
const deployment = {
  kind: 'MachineDeployment',
  metadata: { name: 'test-machine-deployment' },
  spec: {
    replicas: 0,
    minReadySeconds: 500,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 2, maxUnavailable: 1 } },
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: classNamed('test-mc-v1') },
  },
};
const changed = (suite: McmSuite, spec: object) =>
  suite.change('machinedeployments', 'test-machine-deployment', { spec });
const saying = (suite: McmSuite) =>
  (suite.deployment()?.status?.conditions ?? [])
    .map(({ type, status, reason }) => `${type} ${status} ${reason}`)
    .sort();

const MACHINE: readonly Scenario[] = [
  {
    name: 'machine resource, creation: should not lead to any errors and add 1 more node in target cluster',
    run(suite) {
      suite.make('machines', {
        kind: 'Machine',
        metadata: { name: 'test-machine', labels },
        spec: classNamed('test-mc-v1'),
      });
      suite.nodesBecome(1);
    },
    alsoBy: ['test/api/machine.test.ts', 'of its own runs, is Failed when its VM'],
  },
  {
    name: 'machine resource, deletion, when machines available: should not lead to errors and remove 1 node in target cluster',
    run(suite) {
      suite.delete('machines', 'test-machine');
      suite.eventually('test-machine is gone', () => suite.stage.user.all('machines').length === 0);
      suite.nodesBecome(0);
    },
    alsoBy: ['test/api/machinedeployment.test.ts', 'replaces a machine that somebody deletes'],
  },
  {
    name: 'machine resource, deletion, when machines are not available: should keep nodes intact',
    run(suite) {
      expect(() => suite.delete('machines', 'test-machine-dummy')).toThrow('404');
      suite.passes(60_000);
      expect(suite.nodes()).toEqual({ all: INITIAL, ready: INITIAL });
    },
  },
];

const DEPLOYMENT: readonly Scenario[] = [
  {
    name: 'machine deployment resource, creation with replicas=0, scale up with replicas=1: should not lead to errors and add 1 more node to target cluster',
    run(suite) {
      suite.make('machinedeployments', deployment);
      suite.eventually('there is one set', () => suite.sets().length === 1);
      changed(suite, { replicas: 1 });
      const [available, progressing] = [
        'Available True MinimumReplicasAvailable',
        'Progressing True NewMachineSetAvailable',
      ];
      suite.eventually('the two conditions say so, and one machine is available', () => {
        const { availableReplicas } = suite.deployment()?.status ?? {};
        return availableReplicas === 1 && Bun.deepEquals(saying(suite), [available, progressing]);
      });
      suite.nodesBecome(1);
    },
    alsoBy: ['test/api/machinedeployment.test.ts', 'is scaled by kubectl scale, up and down'],
  },
  {
    name: 'machine deployment resource, scale-up with replicas=6: should not lead to errors and add further 5 nodes to target cluster',
    run(suite) {
      changed(suite, { replicas: 6 });
      suite.nodesBecome(6);
    },
    alsoBy: ['test/api/machinedeployment.test.ts', 'is scaled by kubectl scale, up and down'],
  },
  {
    name: 'machine deployment resource, scale-down with replicas=2: should not lead to errors and remove 4 nodes from target cluster',
    run(suite) {
      changed(suite, { replicas: 2 });
      suite.nodesBecome(2);
    },
    alsoBy: ['test/api/machinedeployment.test.ts', 'is scaled by kubectl scale, up and down'],
  },
  {
    // MCM freezes for a moment, and its suite counts that; here a scale-down is no overshoot (hack/decisions/0000 7).
    name: 'machine deployment resource, scale-down with replicas=2: should freeze and unfreeze machineset temporarily (here: should not freeze)',
    run(suite) {
      suite.passes(300_000);
      expect([suite.everFrozen, suite.sets().length]).toEqual([false, 1]);
      suite.nodesBecome(2);
    },
    alsoBy: ['test/api/overshoot.test.ts', 'and a scale-down from 8 to 1'],
  },
  {
    name: 'machine deployment resource, updation to v2 machine-class and replicas=4: should upgrade machines and add more nodes to target',
    run(suite) {
      suite.mostNodes = 0;
      changed(suite, { replicas: 4, template: { spec: classNamed('test-mc-v2') } });
      suite.eventually('UpdatedReplicas is 4', () => suite.deployment()?.status?.updatedReplicas === 4);
      suite.eventually('AvailableReplicas is 4', () => suite.deployment()?.status?.availableReplicas === 4);
      suite.nodesBecome(4);
      expect(suite.mostNodes).toBeLessThanOrEqual(INITIAL + 4 + deployment.spec.strategy.rollingUpdate.maxSurge);
      // All of this may hold while old machines still leave, as far as maxSurge goes.
      const classes = () => suite.stage.user.all('machines').map(({ spec }) => spec?.class?.name);
      suite.eventually('4 machines of v2 are left', () => classes().join() === Array(4).fill('test-mc-v2').join());
    },
    alsoBy: ['test/api/machinedeployment.test.ts', 'without ever leaving its limits'],
  },
  {
    name: 'machine deployment resource, deletion, When there are machine deployment(s) available in control cluster: should not lead to errors and list only initial nodes',
    run(suite) {
      suite.delete('machinedeployments', 'test-machine-deployment');
      suite.nodesBecome(0);
      suite.eventually('nothing of it is left', () => suite.deployment() === undefined && suite.sets().length === 0);
    },
    alsoBy: ['test/api/machinedeployment.test.ts', 'takes everything along when it is deleted'],
  },
  {
    name: 'orphaned resources, when the hyperscaler resources are queried: should have been deleted',
    run(suite) {
      suite.eventually('no VM is left', () => suite.stage.cloud.vms.size === 0);
      suite.passes(600_000);
      expect([suite.stage.cloud.vms.size, suite.nodes().all]).toEqual([0, INITIAL]);
    },
    alsoBy: ['test/api/orphans.test.ts', 'of 200 strange VMs the 100 that are old'],
  },
];

/** Each with those that it goes on from. */
const CASES = [MACHINE, DEPLOYMENT].flatMap((group) =>
  group.map((scenario, index) => ({ ...scenario, before: group.slice(0, index) })),
);

/** MCM pkg/test/integration/common: the whole controller in a world in memory, step by step. */
test.each(CASES)(
  'MCM’s suite: $name',
  ({ before, run }) => {
    const suite = new McmSuite();
    for (const scenario of before) scenario.run(suite);
    run(suite);
  },
  60_000,
);

test.each(CASES.flatMap(({ name, alsoBy }) => (alsoBy ? [{ name, alsoBy }] : [])))(
  'a real API server shows it, too: $name',
  async ({ alsoBy: [file, title] }) => {
    expect(await Bun.file(file).text()).toContain(title);
  },
);

/** What MCM's suite does not ask of sets, and users of MCM rely on. */
test.each([
  ['too many machines freeze, and are let go on', 'test/api/overshoot.test.ts', 'and the freeze ends by itself when'],
  ['another class and size at once', 'test/planners/rollouts.test.ts', 'another-class-and-size-at-once'],
  ['a rollback', 'test/api/rollback.test.ts', 'goes to the revision before, to one by number'],
  ['a pause in a rollout', 'test/planners/rollouts.test.ts', 'paused-in-the-middle-scaled-resumed'],
  ['Nodes follow the template', 'test/api/nodesync.test.ts', 'gets what the template asks for, loses what leaves it'],
])('what MCM’s suite leaves out is shown: %s', async (_scenario, file, title) => {
  expect(await Bun.file(file).text()).toContain(title);
});
