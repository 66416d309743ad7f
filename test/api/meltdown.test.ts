import { describe, expect, test } from 'bun:test';
import { nodes } from '../../controller/runtime/core.ts';
import { LABEL_NODE } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import { useHerd } from './useherd.ts';

const herd = useHerd();

describe('a deployment whose Nodes are all lost at once (MCM Annex B, Meltdown; CKV F4 23, 24)', () => {
  test('has its machines replaced one by one, and says of the others whom they wait for', async () => {
    await herd.makeClass('quiet', { heartbeat: '0s' });
    await herd.makeDeployment({ replicas: 4, ...withHealthTimeout('1s') });
    const ill = await herd.whenRunning(4);
    const heldBack = new Set<string>();
    await Promise.all(ill.map(loseNode));
    await herd.eventually(
      'all to be replaced',
      async () => {
        const old = (await herd.machines()).filter((machine) => isOneOf(ill, machine));
        expect(old.filter(isGivenUp).length).toBeLessThanOrEqual(1);
        for (const { metadata, status } of old)
          if (status?.deciding?.reason === 'HeldBack') heldBack.add(metadata.name);
        return old.length === 0;
      },
      { timeoutMs: 50_000, everyMs: 20 },
    );
    await herd.whenRunning(4);
    expect(heldBack.size).toBe(3);
  });

  const isOneOf = (machines: readonly Machine[], { metadata }: Machine) =>
    machines.some((machine) => machine.metadata.uid === metadata.uid);

  const isGivenUp = ({ metadata, status }: Machine) =>
    metadata.deletionTimestamp !== undefined || status?.currentStatus?.phase === 'Failed';

  const withHealthTimeout = (healthTimeout: string) => ({
    template: {
      metadata: { labels: { pool: 'pool' } },
      spec: { class: { kind: 'MachineClass', name: 'quiet' }, healthTimeout },
    },
  });

  async function loseNode({ metadata }: Machine): Promise<void> {
    const name = metadata.labels?.[LABEL_NODE] ?? '';
    const conditions = [
      { type: 'Ready', status: 'False', reason: 'Test', lastTransitionTime: new Date().toISOString() },
    ];
    const body = { status: { conditions } };
    await herd.api.patch(nodes, { name }, { type: 'merge', body }, { subresource: 'status' });
  }
});
