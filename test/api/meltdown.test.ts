import { describe, expect, test } from 'bun:test';
import { nodes } from '../../controller/runtime/k8s/core.ts';
import { LABEL_NODE } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import { useHerd } from './support/herdfixture.ts';

const herd = useHerd();

describe('a deployment of which half the Nodes are lost at once (hack/spec/mcm.md Annex B, Meltdown; hack/spec/cluster-api.md F4 23, 24)', () => {
  test('has its machines replaced one by one, and says of the others whom they wait for', async () => {
    await herd.makeClass('quiet', { heartbeat: '0s' });
    await herd.makeDeployment({ replicas: 8, ...withHealthTimeout('1s') });
    const ill = (await herd.whenRunning(8)).slice(0, 4);
    const heldBack = new Set<string>();
    await Promise.all(ill.map((one) => sayReady(one, 'False')));
    await herd.eventually(
      'all to be replaced',
      async () => {
        const old = (await herd.machines()).filter((machine) => isOneOf(ill, machine));
        expect(old.filter(isGivenUp).length).toBeLessThanOrEqual(1);
        for (const { metadata, status } of old)
          if (WAITING.has(status?.currentStep?.reason ?? '')) heldBack.add(metadata.name);
        return old.length === 0;
      },
      { ...PATIENCE, everyMs: 20 },
    );
    await herd.whenRunning(8, PATIENCE);
    expect(heldBack.size).toBe(3);
  }, 180_000);
});

describe('a zone of 30 machines (hack/decisions/0000 7, Meltdown; hack/spec/mcm.md 13.1)', () => {
  test('has 3 of them replaced within the budget, and loses none when all go NotReady', async () => {
    await herd.makeClass('quiet', { heartbeat: '0s' });
    await herd.makeDeployment({ replicas: 30, ...withHealthTimeout('5s', 'a') });
    const first = await herd.whenRunning(30, PATIENCE);
    await replacedInTurn(first.slice(0, 3));
    const all = await herd.whenRunning(30, PATIENCE);
    await Promise.all(all.map((one) => sayReady(one, 'False')));
    await herd.eventually(
      'all to say that it is an outage',
      async () => (await herd.machines()).every(({ status }) => status?.currentStep?.reason === 'ZoneOutage'),
      PATIENCE,
    );
    expect(uidsOf(await herd.machines())).toEqual(uidsOf(all));
    await toldToPeople();
    await Promise.all(all.map((one) => sayReady(one, 'True')));
    expect(uidsOf(await herd.whenRunning(30, PATIENCE))).toEqual(uidsOf(all));
  }, 300_000);

  async function replacedInTurn(ill: readonly Machine[]): Promise<void> {
    await Promise.all(ill.map((one) => sayReady(one, 'False')));
    await herd.eventually(
      '3 of 30 to be replaced',
      async () => {
        const old = (await herd.machines()).filter((machine) => isOneOf(ill, machine));
        expect(old.filter(isGivenUp).length).toBeLessThanOrEqual(1);
        return old.length === 0;
      },
      { ...PATIENCE, everyMs: 20 },
    );
  }

  /** By condition, event, metric and log. */
  async function toldToPeople(): Promise<void> {
    const [one] = await herd.machines();
    const healthy = one?.status?.conditions?.find(({ type }) => type === 'NodeHealthy');
    expect(healthy?.message).toMatch(
      /^it would be replaced \(NodeNotReady for 5s\), but \d+ of 30 machines in zone a are unhealthy \([\d.]+ %, limit 55 %\): that is an outage$/,
    );
    await herd.kubectl('wait', 'mcd/pool', '--for=condition=ReplacementPaused', '--timeout=45s');
    const events = await herd.kubectl(
      'get',
      'events.events.k8s.io',
      '--field-selector=reason=ZoneOutage',
      '-o',
      'name',
    );
    expect(events.split('\n').length).toBeGreaterThan(20);
    const metrics = await (await fetch(`${herd.controller().url}/metrics`)).text();
    expect(metrics).toContain('drover_replacement_paused{cluster="default",zone="a"} 1');
    expect(metrics).toContain('drover_zone_machines{cluster="default",zone="a",health="unhealthy"} 30');
    const lines = (await herd.controller().lines()).filter((line) => line.includes('too many machines are unhealthy'));
    expect(lines.some((line) => line.includes('"zone":"a"'))).toBe(true);
  }
});

const WAITING: ReadonlySet<string> = new Set(['ReplacementDelayed', 'ZoneBudgetExhausted']);
const PATIENCE = { timeoutMs: 100_000, everyMs: 100 };

const isOneOf = (machines: readonly Machine[], { metadata }: Machine) =>
  machines.some((machine) => machine.metadata.uid === metadata.uid);

const uidsOf = (machines: readonly Machine[]) => machines.map(({ metadata }) => metadata.uid).sort();

const isGivenUp = ({ metadata, status }: Machine) =>
  metadata.deletionTimestamp !== undefined || status?.currentStatus?.phase === 'Failed';

/** Machines of the class `quiet`; their Nodes are asked to name the zone. */
const withHealthTimeout = (healthTimeout: string, zone = '') => ({
  template: {
    metadata: { labels: { pool: 'pool' } },
    spec: {
      class: { kind: 'MachineClass', name: 'quiet' },
      healthTimeout,
      ...(zone && { nodeTemplate: { metadata: { labels: { 'topology.kubernetes.io/zone': zone } } } }),
    },
  },
});

async function sayReady({ metadata }: Machine, status: 'True' | 'False'): Promise<void> {
  const name = metadata.labels?.[LABEL_NODE] ?? '';
  const conditions = [{ type: 'Ready', status, reason: 'Test', lastTransitionTime: new Date().toISOString() }];
  const body = { status: { conditions } };
  await herd.api.patch(nodes, { name }, { type: 'merge', body }, { subresource: 'status' });
}
