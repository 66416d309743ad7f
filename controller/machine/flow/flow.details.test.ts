import { expect, test } from 'bun:test';
import { ANNOTATION_DELETE_HOST, ANNOTATION_PRIORITY } from '../../../schemas/keys.ts';
import { resources } from '../../../schemas/kinds.ts';
import { machine, node } from '../../../test/fixtures/objects.ts';
import { ApiServer } from '../../../test/world/apiserver.ts';
import { WorldClock } from '../../../test/world/clock.ts';
import { connectionTo } from '../../../test/world/connection.ts';
import { oneTarget } from '../../model/target.fixture.ts';
import type { Target } from '../../model/target.ts';
import { Api } from '../../runtime/client/api.ts';
import { seededRandom } from '../../runtime/random.ts';
import { Cache } from '../../runtime/watch/cache.ts';
import { apply, type MachineEffects } from '../actions.ts';
import { hosted } from './deletion.ts';
import { hooked, judge, leaver } from './drain.fixture.ts';
import { mayForce } from './livedrain.ts';
import { recorded, view, vm } from './view.fixture.ts';

// Each of these passes, and fails under a change of one line that no test of controller/machine found before.

// livedrain.ts mayForce: any value of the label (`!== undefined` in place of `=== FORCED`)
test.each([
  ['true', false],
  ['', false],
  ['True', true],
])(
  'a living machine is drained by force with the label force-drain "True" alone (hack/spec/mcm.md 2.3): %p',
  (value, forced) => {
    const labels = { node: 'm', 'force-drain': value };
    expect(mayForce(view({ machine: machine({ ...recorded, metadata: { labels } }) }), node())).toBe(forced);
  },
);

// deletion.ts hosted: any value of the annotation (`!== undefined` in place of `=== 'true'`)
test('the VM that the controller runs on stays unless the annotation is "true"', () => {
  const own = (value: string) =>
    hosted(view({ machine: leaver({ metadata: { annotations: { [ANNOTATION_DELETE_HOST]: value } } }), isHost: true }));
  expect(own('false')).toMatchObject({ kind: 'wait', reason: 'HostOfController' });
  expect(own('true')).toBeUndefined();
});

// flow.ts afterPreDrainHook: `view.class.at !== 'foreign' &&` taken out
test('a hook says nothing of a machine that another controller drains', () => {
  const held = leaver(hooked('pre-drain.delete.hook.machine.cluster.x-k8s.io/backup'));
  expect(judge({ machine: held, class: { at: 'foreign', provider: 'aws' } })).toEqual([
    'Drained',
    'wait NoDriverForProvider',
  ]);
});

// actions.ts recordVm: the priority written whatever stands there
test('a machine that somebody marked before it had a VM keeps its priority (hack/spec/mcm.md 6.4, step 4)', async () => {
  const clock = new WorldClock();
  const api = new Api({ connection: connectionTo(new ApiServer({ clock, random: seededRandom(1) })), clock });
  await api.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'herd' } } });
  const kind = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'Machine' };
  const marked = machine({ metadata: { annotations: { [ANNOTATION_PRIORITY]: '1' } } });
  const made = await api.create(resources.machines, { ...kind, ...marked });
  const cache = new Cache<typeof made>({ indexes: { node: () => [] } });
  const machineWrites = { api, resource: resources.machines, cache };
  const effects = { machineWrites, targets: oneTarget({} as Target) } as unknown as MachineEffects;
  const { providerID, nodeName } = vm;
  // What it expects of the cache never comes here.
  await apply(effects, view({ machine: made }), { do: 'recordVm', providerID, nodeName } as never);
  const after = await api.get(resources.machines, made.metadata);
  expect(after.spec?.providerID).toBe(providerID);
  expect(after.metadata.annotations?.[ANNOTATION_PRIORITY]).toBe('1');
});
