import { describe, expect, test } from 'bun:test';
import { Fleet } from './fleet.fixture.ts';

// hack/decisions/0051 L60: calls that hang took all places of a cluster, and a drain ended by force with nothing sent

const STUCK = 24;

/** Nodes with pods that go, and pods whose calls hang; a minute later another Node comes, whose pods all go. */
async function beside(hanging: 'evict' | 'delete', { stuckMs, wellMs }: { stuckMs?: number; wellMs?: number }) {
  const fleet = new Fleet(hanging);
  for (let at = 0; at < STUCK; at++) {
    fleet.put(`stuck-${at}`, 'shop', 5);
    fleet.put(`stuck-${at}`, 'hooked', 20);
    fleet.begin(`stuck-${at}`, stuckMs);
  }
  await fleet.run(60_000);
  fleet.put('well', 'shop', 20);
  fleet.begin('well', wellMs);
  return fleet;
}

describe(`beside ${STUCK} Nodes of which calls hang`, () => {
  test('a Node is drained whose pods may go at once', async () => {
    const fleet = await beside('evict', {});
    await fleet.run(30_000);
    expect([fleet.left('well'), fleet.sent('delete')]).toEqual([0, 0]);
  });

  test('so it is by force', async () => {
    const fleet = await beside('evict', { wellMs: 0 });
    await fleet.run(10_000);
    expect([fleet.left('well'), fleet.sent('delete shop/well-'), fleet.isOver('well')]).toEqual([0, 20, true]);
  });

  test('and where it is deletions that hang', async () => {
    const fleet = await beside('delete', { stuckMs: 0, wellMs: 0 });
    await fleet.run(60_000);
    expect([fleet.left('well'), fleet.isOver('well')]).toEqual([0, true]);
  });

  test('whose own drains by force take their time to send deletions, and end', async () => {
    const fleet = await beside('delete', { stuckMs: 0 });
    expect([fleet.isOver('stuck-0'), fleet.sent('delete hooked') < STUCK * 20]).toEqual([false, true]);
    await fleet.run(240_000);
    expect(fleet.isOver('stuck-0')).toBe(true);
  });
});
