import { expect, test } from 'bun:test';
import type { Node } from '../../controller/runtime/k8s/core.ts';
import { ANNOTATION_SCALE_DOWN_DISABLED } from '../../schemas/keys.ts';
import { writesBetween, writesSoFar } from '../bench/writes.ts';
import { useHerd } from './support/herdfixture.ts';

const herd = useHerd();
const PATIENCE = { timeoutMs: 60_000, everyMs: 100 };
const REPLICAS = 10;
/** With the one that takes admission's taint off a Node, which in a cluster is not ours. */
const MOST = 15;
/** Claimed and shielded; shielded and tainted; cordoned; released; admission's taint. Those of the first batch are shielded later. */
const MOST_PATCHES = 5 + 2 / REPLICAS;

/** Nothing is left to be written on it: admission's taint is off, and an autoscaler may have it again. */
const isAtRest = ({ metadata, spec }: Node): boolean =>
  metadata.annotations?.[ANNOTATION_SCALE_DOWN_DISABLED] === undefined && (spec?.taints ?? []).length === 0;

async function whenAtRest(round: string): Promise<void> {
  const isDone = async () => {
    const machines = (await herd.machines()).filter(({ metadata }) => metadata.labels?.['round'] === round);
    const found = await herd.nodesOf(machines);
    return found.length === REPLICAS && found.every(isAtRest);
  };
  await herd.eventually(`the Nodes of round ${round} to be at rest`, isDone, PATIENCE);
  await herd.whenRunning(REPLICAS, PATIENCE);
}

const roll = (round: string): Promise<string> =>
  herd.kubectl('patch', 'mcd/pool', '--type=merge', '-p', JSON.stringify({ spec: { template: labelled(round) } }));

const labelled = (round: string) => ({ metadata: { labels: { pool: 'pool', round } } });

test('a rollout writes a machine and its Node no more than fifteen times, where seven are the least (hack/decisions/0063)', async () => {
  await herd.makeClass('quick', { heartbeat: '0s' });
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: '20%', maxUnavailable: 0 } };
  await herd.makeDeployment({ replicas: REPLICAS, class: 'quick', strategy });
  await herd.whenRunning(REPLICAS, PATIENCE);
  await roll('1');
  await whenAtRest('1');
  const before = await writesSoFar(herd.api);
  await roll('2');
  await whenAtRest('2');
  const writes = writesBetween(before, await writesSoFar(herd.api));
  const ours = Object.entries(writes).filter(([name]) => /^(?:machines|nodes)[ /]/.test(name));
  const once = ['machines post', 'machines delete', 'nodes post', 'nodes delete'];
  expect(once.map((name) => writes[name])).toEqual(once.map(() => REPLICAS));
  expect((writes['nodes patch'] ?? 0) / REPLICAS).toBeLessThanOrEqual(MOST_PATCHES);
  expect(writes['nodes/status patch']).toBe(REPLICAS);
  expect(ours.reduce((sum, [, count]) => sum + count, 0) / REPLICAS).toBeLessThanOrEqual(MOST);
});
