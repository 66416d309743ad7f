import { expect, test } from 'bun:test';
import { machine, machineDeployment, machineSet } from '../../test/fixtures/objects.ts';
import { apply as applyToDeployment, type MachineDeploymentEffects } from '../machinedeployment/actions.ts';
import { view as deploymentView } from '../machinedeployment/flow/view.fixture.ts';
import { apply as applyToSet, type MachineSetEffects } from '../machineset/actions.ts';
import { view as setView } from '../machineset/flow/view.fixture.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { apply as applyToMachine, type MachineEffects } from './actions.ts';
import { view as machineView } from './flow/view.fixture.ts';

const PRESERVE = 'node.machine.sapcloud.io/preserve';
const VICTIMS = 'node.machine.sapcloud.io/trigger-deletion-by-mcm';

/** Something to write with, and the versions for which what was written is good. */
function noting() {
  const versions: Array<string | undefined> = [];
  const patch = async (
    _resource: unknown,
    _ref: unknown,
    { body }: { body: { metadata: { resourceVersion?: string } } },
  ) => {
    versions.push(body.metadata.resourceVersion);
    return machine();
  };
  return { versions, writes: { api: { patch }, resource: {}, cache: new Cache() } };
}

const seen = { metadata: { resourceVersion: '7' } };

// hack/decisions/0051 U22
test('the list of machines that a scaler named is changed only as it was read: it may have named more', async () => {
  const { versions, writes } = noting();
  const effects = { deploymentWrites: writes } as unknown as MachineDeploymentEffects;
  const view = deploymentView(machineDeployment(seen), []);
  await applyToDeployment(effects, view, { do: 'annotate', annotations: { [VICTIMS]: null } });
  await applyToDeployment(effects, view, { do: 'takeVictims', annotations: { [VICTIMS]: 'a~now' } });
  expect(versions).toEqual(['7', '7']);
});

// hack/decisions/0051 L89
test('a deployment is rolled back only as it was seen: somebody may have written another template', async () => {
  const { versions, writes } = noting();
  const effects = { deploymentWrites: writes, events: { record: () => {} } } as unknown as MachineDeploymentEffects;
  const view = deploymentView(machineDeployment(seen), []);
  const note = { type: 'Normal', reason: 'DeploymentRollback', note: 'rolled back' } as const;
  await applyToDeployment(effects, view, { do: 'rollBack', patch: { metadata: {}, spec: {} }, note });
  expect(versions).toEqual(['7']);
});

test.each([
  ['a wish', 'auto-preserved'],
  ['the end of one', null],
])(
  'a set writes %s to preserve a machine only if nobody has said anything since (hack/decisions/0051 U22)',
  async (_what, value) => {
    const { versions, writes } = noting();
    const effects = { machineWrites: writes } as unknown as MachineSetEffects;
    const annotations = { [PRESERVE]: value };
    await applyToSet(effects, setView({ set: machineSet() }), {
      do: 'annotate',
      machines: [machine(seen)],
      annotations,
    });
    expect(versions).toEqual(['7']);
  },
);

test.each([
  ['takes a wish to preserve it off only if nobody has said anything since', { [PRESERVE]: null }, '7'],
  ['writes other annotations whatever else has changed', { other: null }, undefined],
])('a machine %s (hack/decisions/0051 U22)', async (_what, annotations, version) => {
  const { versions, writes } = noting();
  const effects = { machineWrites: writes } as unknown as MachineEffects;
  await applyToMachine(effects, machineView({ machine: machine(seen) }), { do: 'annotate', annotations });
  expect(versions).toEqual([version]);
});

// hack/decisions/0051 S39
test('what is frozen is labelled only as it was seen: the freeze may have ended, and somebody else may have begun one', async () => {
  const { versions, writes } = noting();
  const effects = { setWrites: writes, deploymentWrites: writes };
  const action = { do: 'markSelf', metadata: { labels: { freeze: 'True' }, annotations: {} } } as const;
  await applyToSet(effects as unknown as MachineSetEffects, setView({ set: machineSet(seen) }), action);
  const view = deploymentView(machineDeployment(seen), []);
  await applyToDeployment(effects as unknown as MachineDeploymentEffects, view, action);
  expect(versions).toEqual(['7', '7']);
});
