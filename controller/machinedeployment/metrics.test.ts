import { expect, test } from 'bun:test';
import { BORN, machineDeployment } from '../../test/fixtures/objects.ts';
import { createMetrics } from '../runtime/observability/metrics.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { machineDeploymentCollector, machineDeploymentMetrics } from './metrics.ts';

async function scraped(deployment: ReturnType<typeof machineDeployment>): Promise<string[]> {
  const metrics = createMetrics({ tables: [machineDeploymentMetrics] });
  const deployments = new Cache<ReturnType<typeof machineDeployment>>();
  deployments.reset([deployment], '1');
  const collect = machineDeploymentCollector({ deployments });
  metrics.onScrape(() => collect(metrics));
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('mcm_'));
  return lines.map((line) => line.replace('name="pool",namespace="herd"', '…')).sort();
}

test('MachineDeployments at a scrape (hack/spec/mcm.md 10.2)', async () => {
  const spec = { paused: true, revisionHistoryLimit: 2, progressDeadlineSeconds: 600, rollbackTo: { revision: 4 } };
  const status = { readyReplicas: 2, collisionCount: 1, conditions: [{ type: 'Available', status: 'False' }] };
  expect(await scraped(machineDeployment({ spec, status }))).toEqual([
    'mcm_machine_deployment_info_spec_min_ready_seconds{…} 0',
    'mcm_machine_deployment_info_spec_paused{…} 1',
    'mcm_machine_deployment_info_spec_progress_deadline_seconds{…} 600',
    'mcm_machine_deployment_info_spec_replicas{…} 3',
    'mcm_machine_deployment_info_spec_revision_history_limit{…} 2',
    'mcm_machine_deployment_info_spec_rollback_to_revision{…} 4',
    'mcm_machine_deployment_info_spec_rolling_update_max_surge{…} 1',
    'mcm_machine_deployment_info_spec_rolling_update_max_unavailable{…} 0',
    `mcm_machine_deployment_info{…,createdAt="${BORN / 1000}",spec_strategy_type="RollingUpdate"} 1`,
    'mcm_machine_deployment_items_total 1',
    'mcm_machine_deployment_status_available_replicas{…} 0',
    'mcm_machine_deployment_status_collision_count{…} 1',
    'mcm_machine_deployment_status_condition{…,condition="Available"} 0',
    'mcm_machine_deployment_status_ready_replicas{…} 2',
    'mcm_machine_deployment_status_replicas{…} 0',
    'mcm_machine_deployment_status_unavailable_replicas{…} 0',
    'mcm_machine_deployment_status_updated_replicas{…} 0',
  ]);
});

test('percents are resolved, which MCM shows as 0; what is absent has no series', async () => {
  const rollingUpdate = { maxSurge: '50%', maxUnavailable: '40%' };
  const lines = await scraped(machineDeployment({ spec: { strategy: { type: 'RollingUpdate', rollingUpdate } } }));
  expect(lines.filter((line) => /max_|limit|deadline|rollback/.test(line))).toEqual([
    'mcm_machine_deployment_info_spec_rolling_update_max_surge{…} 2',
    'mcm_machine_deployment_info_spec_rolling_update_max_unavailable{…} 1',
  ]);
});

test('a failed machine whose deployment recovers is no longer shown, as it is in MCM', async () => {
  const failed = { name: 'm', ownerRef: 'set', lastOperation: { state: 'Failed', type: 'Create' } } as const;
  const of = (lines: string[]) => lines.filter((line) => line.includes('failed_machines'));
  expect(of(await scraped(machineDeployment({ status: { failedMachines: [failed] } })))).toHaveLength(1);
  expect(of(await scraped(machineDeployment()))).toEqual([]);
});
