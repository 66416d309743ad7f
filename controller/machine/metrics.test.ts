import { expect, test } from 'bun:test';
import { at, BORN, inPhase, machine, machineClass, machineSet, node } from '../../test/fixtures/objects.ts';
import { drainMetrics } from '../drain/metrics.ts';
import type { DriverMethod } from '../drivers/sdk/driver.ts';
import { DriverError } from '../drivers/sdk/errors.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { createMetrics } from '../runtime/observability/metrics.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { InFlightCalls } from './calls/inflight.ts';
import { plan } from './flow/flow.ts';
import { idle, readyNode, recorded, view, vm } from './flow/view.fixture.ts';
import { callMetrics, machineCollector, machineMetrics, transitionMetrics } from './metrics.ts';
import { Meter } from './recorder.ts';
import { statusOf } from './status/status.ts';

const filled = <T extends { metadata: { name: string } }>(...items: T[]): Cache<T> => {
  const cache = new Cache<T>();
  cache.reset(items, '1');
  return cache;
};

const owned = {
  metadata: {
    ownerReferences: [{ apiVersion: 'v1', kind: 'MachineSet', name: 'set', uid: 'uid-set', controller: true }],
  },
};
const ownedSet = machineSet({
  metadata: {
    ownerReferences: [{ apiVersion: 'v1', kind: 'MachineDeployment', name: 'pool', uid: 'uid-pool', controller: true }],
  },
});
const big = machineClass({ nodeTemplate: { instanceType: 'm5', region: 'r', zone: 'r-a', capacity: {} } });
const zoned = { spec: { nodeTemplate: { metadata: { labels: { 'topology.kubernetes.io/zone': 'r-a' } } } } };
/** The Node of a machine that asks for that, and has it. */
const inStep = {
  ...readyNode,
  object: node({
    metadata: {
      labels: zoned.spec.nodeTemplate.metadata.labels,
      annotations: {
        'node.machine.sapcloud.io/last-applied-anno-labels-taints': JSON.stringify(zoned.spec.nodeTemplate),
      },
    },
  }),
};
const POOL = 'namespace="herd",machine_deployment="pool",instance_type="m5",zone="r-a"';

function measuring(...machines: Array<ReturnType<typeof machine>>) {
  const metrics = createMetrics({ tables: [machineMetrics, transitionMetrics, callMetrics, drainMetrics] });
  const clock = new FakeClock(BORN + 90_000);
  const caches = { machines: filled(...machines), sets: filled(ownedSet), classes: filled(big) };
  const lines = async (prefix: string) =>
    (await metrics.text()).split('\n').filter((line) => line.startsWith(prefix) && !line.includes('_bucket'));
  return { metrics, clock, lines, caches, meter: new Meter({ metrics, clock, ...caches }) };
}

const ended = (method: DriverMethod, ms: number, error?: DriverError) => ({
  call: { uid: 'uid-m', key: 'herd/m', classKey: 'herd/small', method, mark: '', run: async () => undefined },
  ms,
  error,
});

test('Machines at a scrape (hack/spec/mcm.md 10.2): phase, info, the Node’s conditions, and what they wait for', async () => {
  const conditions = [
    { type: 'Ready', status: 'True' },
    { type: 'DiskPressure', status: 'Unknown' },
    { type: 'VMCreated', status: 'True' },
  ];
  const currentStep = { name: 'VMCreated', reason: 'ResourceExhausted' };
  const { metrics, lines, caches, clock } = measuring(
    inPhase('Running', 0, { ...recorded, status: { conditions } }),
    inPhase('CrashLoopBackOff', 0, { metadata: { name: 'a' }, status: { currentStep } }),
    inPhase('CrashLoopBackOff', 0, { metadata: { name: 'b' }, status: { currentStep } }),
  );
  const calls = new InFlightCalls({
    clock,
    random: { next: () => 0 },
    log: new FakeLog(),
    limits: {
      createMachine: 9,
      deleteMachine: 9,
      updateMachine: 9,
      driverCalls: 9,
      isShared: false,
      exhaustedRetryMs: 1,
    },
    enqueue: () => {},
  });
  calls.start({ ...ended('createMachine', 0).call, run: () => new Promise(() => {}) });
  const collect = machineCollector({ ...caches, callers: [calls] });
  metrics.onScrape(() => collect(metrics));
  expect(await lines('mcm_machine_items')).toEqual(['mcm_machine_items_total 3']);
  expect(await lines('mcm_machine_controller')).toEqual(['mcm_machine_controller_frozen 0']);
  expect(await lines('mcm_machine_current')).toEqual([
    'mcm_machine_current_status_phase{name="m",namespace="herd"} 1',
    'mcm_machine_current_status_phase{name="a",namespace="herd"} -2',
    'mcm_machine_current_status_phase{name="b",namespace="herd"} -2',
  ]);
  expect((await lines('mcm_machine_info'))[0]).toBe(
    `mcm_machine_info{name="m",namespace="herd",createdAt="${BORN / 1000}",spec_provider_id="virtual:///uid-m",spec_class_api_group="",spec_class_kind="MachineClass",spec_class_name="small",node_name="m"} 1`,
  );
  expect(await lines('mcm_machine_status')).toEqual([
    'mcm_machine_status_condition{name="m",namespace="herd",condition="Ready"} 1',
    'mcm_machine_status_condition{name="m",namespace="herd",condition="DiskPressure"} 2',
  ]);
  expect(await lines('drover_machines')).toEqual([
    'drover_machines{namespace="herd",phase="Running",step="",reason=""} 1',
    'drover_machines{namespace="herd",phase="CrashLoopBackOff",step="VMCreated",reason="ResourceExhausted"} 2',
  ]);
  expect(await lines('drover_driver')).toEqual(['drover_driver_calls_in_flight{method="createMachine"} 1']);
});

test('a machine that is gone leaves no series behind', async () => {
  const { metrics, lines, caches } = measuring(inPhase('Running'));
  const collect = machineCollector({ ...caches, callers: [] });
  metrics.onScrape(() => collect(metrics));
  expect(await lines('mcm_machine_current')).toHaveLength(1);
  caches.machines.reset([], '2');
  expect(await lines('mcm_machine_current')).toEqual([]);
});

test('driver calls by MCM’s operations, and the number of the code that failed (hack/spec/mcm.md 10.2)', async () => {
  const { meter, lines } = measuring(machine());
  meter.callEnded(ended('getMachineStatus', 20));
  meter.callEnded(ended('createMachine', 2_000));
  meter.callEnded(ended('createMachine', 500, new DriverError('ResourceExhausted', 'no room')));
  expect(await lines('mcm_cloud_api_driver_requests_failed')).toEqual([
    'mcm_cloud_api_driver_requests_failed_total{provider="virtual",operation="create_machine",error_code="8"} 1',
  ]);
  expect(await lines('mcm_cloud_api_driver_request_duration_seconds_sum')).toEqual([
    'mcm_cloud_api_driver_request_duration_seconds_sum{provider="virtual",operation="get_machine_status"} 0.02',
    'mcm_cloud_api_driver_request_duration_seconds_sum{provider="virtual",operation="create_machine"} 2',
  ]);
  expect(await lines('mcm_cloud_api_requests_total')).toEqual([
    'mcm_cloud_api_requests_total{provider="virtual",service="getMachineStatus"} 1',
    'mcm_cloud_api_requests_total{provider="virtual",service="createMachine"} 2',
  ]);
  expect(await lines('mcm_cloud_api_requests_failed')).toEqual([
    'mcm_cloud_api_requests_failed_total{provider="virtual",service="createMachine"} 1',
  ]);
});

test.each([
  ['createMachine', 'mcm_machine_create_duration_seconds', 90, { ...owned, ...zoned }],
  ['initializeMachine', 'mcm_machine_initialize_duration_seconds', 3, { ...owned, ...zoned }],
  [
    'deleteMachine',
    'mcm_machine_delete_duration_seconds',
    30,
    { metadata: { ...owned.metadata, deletionTimestamp: at(60) }, ...zoned },
  ],
] as const)('how long %s took is measured for the pool', async (method, name, seconds, changes) => {
  const { meter, lines } = measuring(machine(changes as Parameters<typeof machine>[0]));
  meter.callEnded(ended(method, 3_000));
  expect(await lines(name)).toEqual([`${name}{${POOL}} ${seconds}`]);
});

test('the label `name` is the pool, a machine of none is measured for none, and nothing throws (hack/decisions/0000 3)', async () => {
  const labelled = measuring(machine({ metadata: { labels: { name: 'workers' } } }));
  labelled.meter.callEnded(ended('createMachine', 1));
  expect(await labelled.lines('mcm_machine_create')).toEqual([
    'mcm_machine_create_duration_seconds{namespace="herd",machine_deployment="workers",instance_type="m5",zone=""} 90',
  ]);
  const alone = measuring(machine({ spec: { class: { name: 'gone' } } }));
  alone.meter.callEnded(ended('createMachine', 1));
  alone.meter.callEnded({
    ...ended('deleteMachine', 1),
    call: { ...ended('deleteMachine', 1).call, key: 'herd/gone' },
  });
  expect(await alone.lines('mcm_machine_create')).toEqual([]);
  expect(await alone.lines('drover_metrics_errors')).toEqual([]);
});

test('a machine that joins, joins again, or does not join in time', async () => {
  const asked = { ...idle, askedAt: BORN + 59_000 };
  const pending = inPhase('Pending', 0, {
    ...recorded,
    ...owned,
    ...zoned,
    metadata: { ...owned.metadata, labels: { node: 'm' } },
    spec: { ...recorded.spec, ...zoned.spec },
  });
  const { meter, lines } = measuring(pending);
  const pass = (seen: ReturnType<typeof view>) => {
    const decision = plan(seen);
    meter.passed(seen, decision, statusOf(seen, decision, at(60)));
  };
  pass(view({ machine: pending, vm, calls: asked, node: inStep }));
  const before = {
    lastOperation: { type: 'HealthCheck' as const },
    currentStatus: { phase: 'Unknown' as const, lastUpdateTime: at(0) },
  };
  pass(view({ machine: { ...pending, status: before }, vm, calls: asked, node: inStep }));
  const late = BORN + 1_200_000;
  pass(view({ machine: pending, vm, calls: { ...idle, askedAt: late }, now: late }));
  expect(await lines('drover_machine_create_to_running_seconds')).toEqual([
    'drover_machine_create_to_running_seconds_sum 90',
    'drover_machine_create_to_running_seconds_count 1',
  ]);
  expect(await lines('mcm_machine_join')).toEqual([`mcm_machine_join_duration_seconds{${POOL}} 90`]);
  expect(await lines('mcm_machine_num_failed')).toEqual([`mcm_machine_num_failed_join{${POOL}} 1`]);
});

test('how long a drain took is measured when the next step begins, and not before', async () => {
  const drain = { startedAt: at(30), deadline: at(600) };
  const status = { currentStep: { name: 'Drained', reason: 'Draining' }, deletion: { startedAt: at(20), drain } };
  const draining = machine({ metadata: { labels: { name: 'pool' }, deletionTimestamp: at(20) }, status });
  const { meter, lines } = measuring(draining);
  const seen = view({ machine: draining });
  meter.passed(seen, { step: 'Drained', outcome: { kind: 'wait', reason: 'Draining', ms: 1 } }, undefined);
  // hack/decisions/0051 L21: it falls back, as when the Cluster cannot be reached
  for (const step of ['ClusterReachable', 'VMLocated', 'VMClaimed', 'VMRetained', 'DeletionAllowed'])
    meter.passed(seen, { step, outcome: { kind: 'wait', reason: 'ClusterUnreachable', ms: 1 } }, undefined);
  expect(await lines('mcm_machine_drain')).toEqual([]);
  meter.passed(
    seen,
    { step: 'VMDeleted', outcome: { kind: 'wait', reason: 'DriverCallInProgress', ms: 1 } },
    undefined,
  );
  const labels = 'namespace="herd",machine_deployment="pool"';
  expect(await lines('mcm_machine_drain')).toEqual([`mcm_machine_drain_duration_seconds{${labels}} 60`]);
});

test.each([
  ['succeeded', { deadline: at(600), endedAt: at(50) }],
  ['forced', { deadline: at(40), endedAt: at(50) }],
  ['interrupted', { deadline: at(600) }],
])('drains are told apart by how they ended: %s', async (result, record) => {
  const status = { currentStep: { name: 'Drained', reason: 'DrainSucceeded' }, deletion: { startedAt: at(20) } };
  const deletion = { ...status.deletion, drain: { startedAt: at(30), ...record } };
  const draining = machine({ metadata: { deletionTimestamp: at(20) }, status: { ...status, deletion } });
  const { meter, lines } = measuring(draining);
  const seen = view({ machine: draining });
  meter.passed(
    seen,
    { step: 'VMDeleted', outcome: { kind: 'wait', reason: 'DriverCallInProgress', ms: 1 } },
    undefined,
  );
  expect(await lines('drover_drain_duration_seconds')).toEqual([
    `drover_drain_duration_seconds_sum{result="${result}"} 60`,
    `drover_drain_duration_seconds_count{result="${result}"} 1`,
  ]);
});
