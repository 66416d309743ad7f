import { describe, expect, test } from 'bun:test';
import { at, BORN, machine, machineClass, node } from '../../test/fixtures/objects.ts';
import { benchDrain, podOn } from '../drain/drains.fixture.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import { oneTarget } from '../model/target.fixture.ts';
import { openGate } from '../safety/outage/gates.fixture.ts';
import { rulesCache } from './drainrules.fixture.ts';
import { DRAINING } from './flow/livedrain.ts';
import { drainSettings, readyNode, recorded } from './flow/view.fixture.ts';
import type { ClassFact, NodeFact } from './flow/view.ts';
import { drainFact } from './observedrain.ts';

const noRules = { drainRules: rulesCache(), clusters: { get: () => undefined } };

const ours: ClassFact = { at: 'ours', class: machineClass() };
const leaver = (changes: Parameters<typeof machine>[0] = {}) =>
  machine({
    ...recorded,
    ...changes,
    metadata: { ...recorded.metadata, deletionTimestamp: at(30), ...changes.metadata },
  });

/** The Node of a Machine that is drained to be updated in place. */
const condition = {
  type: 'InPlaceUpdate',
  status: 'True',
  reason: 'SelectedForUpdate',
  message: DRAINING.gently,
  lastHeartbeatTime: at(60),
};
const updating: NodeFact = { ...readyNode, object: node({ status: { conditions: [condition] } }) };

/** The drain of a Machine's Node on which one pod runs. */
function seen(
  one: ReturnType<typeof machine>,
  { node = readyNode, fact = ours, none = false }: { node?: NodeFact; fact?: ClassFact; none?: boolean } = {},
) {
  const { target, drains, clock } = benchDrain();
  target.pods.put(podOn('a'));
  const driver = { name: 'virtual', getVolumeIDs: async () => [] } as Partial<Driver> as Driver;
  const targets = oneTarget(none ? undefined : target);
  const drivers = new Map([['virtual', driver]]);
  const sources = { drains, targets, drivers, clock, limits: { drain: drainSettings }, ...noRules };
  return {
    view: drainFact(sources, one, { node, class: fact, gate: openGate }),
    request: drains.known('uid-m')?.request,
  };
}

describe('a drain is looked at', () => {
  test.each([
    ['when the Machine leaves', leaver(), {}, 1],
    ['not while it lives', machine(recorded), {}, undefined],
    ['not without a target cluster (hack/spec/mcm.md 0.2)', leaver(), { none: true }, undefined],
    ['not without a Node (hack/spec/mcm.md 6.8)', leaver(), { node: { at: 'absent' } }, undefined],
    ['not at the Node of another VM', leaver(), { node: { at: 'foreign', name: 'm' } }, undefined],
  ] as const)('%s', (_what, one, facts, pods) => expect(seen(one, facts as object).view?.pods.length).toBe(pods));
});

describe('its time', () => {
  test('has no end before it is on record', () => expect(seen(leaver()).view?.deadline).toBe(Infinity));

  test('is what is on record, whatever the settings say', () => {
    const drain = { startedAt: at(60), deadline: at(600) };
    const status = { deletion: { startedAt: at(30), drain } };
    expect(seen(leaver({ status, spec: { drainTimeout: '9h' } })).view?.deadline).toBe(BORN + 600_000);
  });
});

test('it is forced by label or by the loss of the Node alone (hack/decisions/0028)', () => {
  const lost = [{ type: 'Ready', status: 'Unknown', lastTransitionTime: at(-240) }] as never;
  const labels = { ...recorded.metadata.labels, 'force-deletion': 'True' };
  expect(seen(leaver()).view?.forced).toBeFalse();
  expect(seen(leaver({ metadata: { labels } })).view?.forced).toBeTrue();
  expect(seen(leaver(), { node: { ...readyNode, conditions: lost } }).view?.forced).toBeTrue();
});

test('that of a Machine that lives is forced if the condition of its Node says so', () => {
  const byForce = [{ ...condition, message: DRAINING.byForce }];
  const node = { ...updating, object: { ...updating.object, status: { conditions: byForce } } };
  expect(seen(machine(recorded), { node: updating }).view?.forced).toBeFalse();
  expect(seen(machine(recorded), { node }).view?.forced).toBeTrue();
});

// hack/decisions/0051 L30
test('what is waited for in memory counts from the end of the last outage', () => {
  expect(seen(leaver()).request?.clocksFrom).toBe(openGate.judgesFrom);
  const status = { clocksFrom: at(90) } as never;
  expect(seen(leaver({ status })).request?.clocksFrom).toBe(BORN + 90_000);
});

// hack/decisions/0051 L39
test('its volumes are waited for, unless the Machine that leaves is excluded from that (0056)', () => {
  const annotations = { 'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach': '' };
  expect(seen(leaver()).view?.volumesUnawaited).toBeUndefined();
  expect(seen(leaver({ metadata: { annotations } })).view?.volumesUnawaited).toBeTrue();
  const living = machine({ ...recorded, metadata: { ...recorded.metadata, annotations } });
  expect(seen(living, { node: updating }).view).toMatchObject({ pods: [{ name: 'a' }] });
  expect(seen(living, { node: updating }).view?.volumesUnawaited).toBeUndefined();
});

describe('its limits', () => {
  test('are the controller’s', () => {
    expect(seen(leaver()).view?.limits).toEqual({
      timeoutMs: 7_200_000,
      detachMs: 120_000,
      reattachMs: 90_000,
      refusedMs: Infinity,
    });
  });

  test('or the Machine’s own (hack/spec/mcm.md 1.2)', () => {
    const spec = { drainTimeout: '10m', maxEvictRetries: 3 };
    expect(seen(leaver({ spec })).view?.limits).toMatchObject({ timeoutMs: 600_000, refusedMs: 60_000 });
  });
});

test('what another process wrote down of refusals is known', () => {
  const pods = [{ name: 'shop/a', result: 'Refused', refusedSince: at(90) }];
  const drain = { startedAt: at(60), deadline: at(600), pods };
  const status = { deletion: { startedAt: at(30), drain } };
  expect(seen(leaver({ status })).view?.pods[0]?.refusedSince).toBe(BORN + 90_000);
});

test('the driver is asked about volumes while it is known', () => {
  expect(seen(leaver()).request?.getVolumeIDs).toBeFunction();
  expect(seen(leaver(), { fact: { at: 'missing', name: 'small' } }).request?.getVolumeIDs).toBeUndefined();
});
