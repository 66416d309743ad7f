import { expect, test } from 'bun:test';

/** What MCM's integration tests do with a driver's machines, with what they ask of sets beside that, and where it is shown here. */
test.each([
  ['a machine is made, and its Node joins', 'test/api/machine.test.ts', 'of its own runs, is Failed when its VM'],
  ['a deployment grows and shrinks', 'test/api/machinedeployment.test.ts', 'is scaled by kubectl scale, up and down'],
  ['too many machines freeze, and are let go on', 'test/api/overshoot.test.ts', 'and the freeze ends by itself when'],
  // MCM freezes for a moment; a scale-down is no overshoot here (decisions 7).
  ['a quick scale-down', 'test/api/overshoot.test.ts', 'and a scale-down from 8 to 1'],
  ['another class and size at once', 'test/planners/rollouts.test.ts', 'another-class-and-size-at-once'],
  ['a rollout keeps its limits', 'test/api/machinedeployment.test.ts', 'without ever leaving its limits'],
  ['a rollback', 'test/api/rollback.test.ts', 'goes to the revision before, to one by number'],
  ['a pause in a rollout', 'test/planners/rollouts.test.ts', 'paused-in-the-middle-scaled-resumed'],
  ['a deployment is deleted', 'test/api/machinedeployment.test.ts', 'takes everything along when it is deleted'],
  ['nothing is left in the cloud', 'test/api/orphans.test.ts', 'of 200 strange VMs the 100 that are old'],
  ['Nodes follow the template', 'test/api/nodesync.test.ts', 'gets what the template asks for, loses what leaves it'],
])('what MCM shows by its integration tests is shown: %s', async (_scenario, file, title) => {
  expect(await Bun.file(file).text()).toContain(title);
});
