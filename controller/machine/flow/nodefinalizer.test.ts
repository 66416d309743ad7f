import { expect, test } from 'bun:test';
import { NODE_FINALIZER } from '../../../schemas/keys.ts';
import { at, machine, node } from '../../../test/fixtures/objects.ts';
import { reasonOf } from '../../flow/flow.ts';
import { Life } from '../life.fixture.ts';
import { plan } from './flow.ts';
import { deleted, idle, readyNode, recorded, view, vm } from './view.fixture.ts';
import type { MachineView } from './view.ts';

/** hack/decisions/0051 L13: a Node that MCM had before carries MCM's finalizer, which nobody else takes off. */

const metadata = { finalizers: [NODE_FINALIZER, 'theirs'], deletionTimestamp: at(30) };
const leavingNode = { ...readyNode, deleting: true, object: node({ metadata }) };
const running = machine({ ...recorded, status: { currentStatus: { phase: 'Running', lastUpdateTime: at(0) } } });
const leaver = machine({ ...recorded, metadata: { ...recorded.metadata, deletionTimestamp: at(50) } });
const calls = { ...idle, askedAt: Date.parse(at(59)) };

test.each<[string, Partial<MachineView>, string]>([
  ['goes when it is deleted by hand', { machine: running, node: leavingNode }, 'NodeSynced ReleaseNode'],
  [
    'goes with its machine when it was deleted by hand before',
    { machine: leaver, node: leavingNode, ...deleted },
    'NodeDeleted DeleteNode',
  ],
  [
    'keeps the finalizer where MCM runs',
    { machine: running, node: leavingNode, class: { at: 'foreign', provider: 'AWS' } },
    'ClassReady NoDriverForProvider',
  ],
  [
    'is not touched when it is another’s',
    { machine: running, node: { ...leavingNode, ours: false } },
    'Reconciled Reconciled',
  ],
])('a Node %s', (_what, facts, decided) => {
  const decision = plan(view({ vm, calls, ...facts }));
  expect(`${decision.step} ${reasonOf(decision)}`).toBe(decided);
});

/** A Machine that runs, with a Node as MCM left it. */
async function takenOver(): Promise<Life> {
  const life = new Life();
  await life.pass(5);
  await life.register({ metadata: { finalizers: [NODE_FINALIZER] } });
  await life.pass(30);
  return life;
}

test('kubectl delete node ends, and the machine is replaced after its time', async () => {
  const life = await takenOver();
  await life.removeNode();
  await life.pass(5);
  expect(await life.left()).toEqual({ machine: true, node: false });
  expect(life.events).toContain('ReleaseNode');
  await life.pass(700);
  expect(life.phases.map((phase) => phase.split(' ')[0]).slice(-2)).toEqual(['Unknown', 'Failed']);
});

test('a Node that was deleted while its machine was leaving goes with it', async () => {
  const life = await takenOver();
  await life.removeNode();
  await life.remove();
  await life.pass(30);
  expect(await life.left()).toEqual({ machine: false, node: false });
});
