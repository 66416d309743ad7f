import { expect, test } from 'bun:test';
import { BORN, machineSet } from '../../test/fixtures/objects.ts';
import { createMetrics } from '../runtime/observability/metrics.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { machineSetCollector, machineSetMetrics } from './metrics.ts';

test('MachineSets at a scrape (hack/spec/mcm.md 10.2)', async () => {
  const metrics = createMetrics({ tables: [machineSetMetrics] });
  const sets = new Cache<ReturnType<typeof machineSet>>();
  const failed = {
    name: 'm',
    providerID: 'v',
    ownerRef: 'set',
    lastOperation: { state: 'Failed', type: 'Create' },
  } as const;
  const status = {
    replicas: 3,
    fullyLabeledReplicas: 3,
    readyReplicas: 2,
    availableReplicas: 1,
    machineSetCondition: [{ type: 'ReplicaFailure', status: 'True' }],
    failedMachines: [failed],
  };
  sets.reset([machineSet({ status })], '1');
  const collect = machineSetCollector({ sets });
  metrics.onScrape(() => collect(metrics));
  const own = 'name="set",namespace="herd"';
  expect(
    (await metrics.text())
      .split('\n')
      .filter((line) => line.startsWith('mcm_'))
      .sort(),
  ).toEqual([
    `mcm_machine_set_failed_machines{${own},failed_machine_name="m",failed_machine_provider_id="v",failed_machine_owner_ref="set",failed_machine_last_operation_state="Failed",failed_machine_last_operation_machine_operation_type="Create"} 1`,
    `mcm_machine_set_info_spec_min_ready_seconds{${own}} 0`,
    `mcm_machine_set_info_spec_replicas{${own}} 3`,
    `mcm_machine_set_info{${own},createdAt="${BORN / 1000}",spec_machine_class_api_group="",spec_machine_class_kind="MachineClass",spec_machine_class_name="small"} 1`,
    'mcm_machine_set_items_total 1',
    `mcm_machine_set_status_available_replicas{${own}} 1`,
    `mcm_machine_set_status_condition{${own},condition="ReplicaFailure"} 1`,
    `mcm_machine_set_status_fully_labelled_replicas{${own}} 3`,
    `mcm_machine_set_status_ready_replicas{${own}} 2`,
    `mcm_machine_set_status_replicas{${own}} 3`,
  ]);
});
