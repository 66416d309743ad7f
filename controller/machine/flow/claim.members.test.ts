import { describe, expect, test } from 'bun:test';
import { at, machine, node } from '../../../test/fixtures/objects.ts';
import { reasonOf } from '../../flow/flow.ts';
import { newsOf } from '../status/events.ts';
import { statusOf } from '../status/status.ts';
import { plan } from './flow.ts';
import { deleted, idle, readyNode, recorded, view, vm } from './view.fixture.ts';
import type { MachineView } from './view.ts';

/** hack/decisions/0028 M12, M13: members of a control plane, of which nothing may say that they are their machine's. */

const labels = { 'node-role.kubernetes.io/control-plane': '' };
const NOBODYS = { 'machine.sapcloud.io/machine': undefined, 'machine.sapcloud.io/cluster-namespace': undefined };
const running = machine({ ...recorded, status: { currentStatus: { phase: 'Running', lastUpdateTime: at(0) } } });
const leaver = machine({ ...recorded, metadata: { ...recorded.metadata, deletionTimestamp: at(30) } });
const byForce = machine({
  ...recorded,
  metadata: { ...leaver.metadata, labels: { node: 'm', 'force-deletion': 'True' } },
});
const asked = { ...idle, askedAt: Date.parse(at(55)) };
const controlPlane = { ...readyNode, object: node({ metadata: { labels } }) };
/** Nobody says whose it is. */
const strange = { ...controlPlane, ours: false, object: node({ metadata: { labels, annotations: NOBODYS } }) };
const policy = new Map([['NodeDeleted', { message: 'a policy says no', retryAt: Infinity }]]);

const decided = (facts: Partial<MachineView>) => {
  const decision = plan(view(facts));
  return `${decision.step} ${reasonOf(decision)}`;
};

describe('a Machine that leaves', () => {
  test.each<[string, Partial<MachineView>, string]>([
    [
      'takes no member of a control plane with it without a mark',
      { vm, claim: { at: 'own', marked: false }, node: strange, calls: asked },
      'VMClaimed ControlPlaneNode',
    ],
    [
      'takes none with it whose id is written in other words',
      { vm, claim: { at: 'own', marked: true }, node: strange, calls: asked },
      'VMClaimed ControlPlaneNode',
    ],
    [
      'takes the one with it that somebody has recorded by hand (hack/decisions/0028 M12)',
      { vm, claim: { at: 'own', marked: false }, node: controlPlane, calls: asked },
      'VMDeleted DeleteVM',
    ],
    [
      'goes by force without it, and without a VM that has no mark (hack/decisions/0028 M12)',
      { machine: byForce, vm, claim: { at: 'own', marked: false }, node: strange, calls: asked },
      'FinalizerRemoved RemoveFinalizer',
    ],
    [
      'goes by force without it, and with a VM that has one (hack/decisions/0028 M12)',
      { machine: byForce, vm, claim: { at: 'own', marked: true }, node: strange, calls: asked },
      'VMDeleted DeleteVM',
    ],
    [
      'waits for nobody once its VM is gone (hack/decisions/0028 M12)',
      { vm: { at: 'absent', since: 0 }, claim: { at: 'own', marked: false }, node: strange, calls: asked },
      'VMDeleted DeleteVM',
    ],
    [
      'goes without a Node that a policy keeps (hack/decisions/0028 M13)',
      { ...deleted, node: controlPlane, refused: policy },
      'FinalizerRemoved RemoveFinalizer',
    ],
    [
      'that was made for it goes, a member of a control plane or not',
      { ...deleted, node: { ...controlPlane, deleting: true } },
      'FinalizerRemoved RemoveFinalizer',
    ],
  ])('%s', (_what, facts, expected) => expect(decided({ machine: leaver, ...facts })).toBe(expected));

  test.each<[string, Partial<MachineView>, string]>([
    [
      'Node and VM',
      { machine: byForce, vm, claim: { at: 'own', marked: false }, node: strange },
      'VM virtual:///uid-m and its Node "m", a member of a control plane, stay',
    ],
    [
      'its Node',
      { ...deleted, node: controlPlane, refused: policy },
      'VM virtual:///uid-m is gone, and its Node "m" stays, for it may not be deleted: kubectl delete node m',
    ],
    [
      'a Node that a record names and no driver has confirmed (T22)',
      { ...deleted, claim: { at: 'unknown' }, node: { ...readyNode, ours: false } },
      `VM virtual:///uid-m is gone, and its Node "m" stays, for no record says that both were this machine's`,
    ],
    ['nothing', deleted, 'VM virtual:///uid-m is gone, and nothing is left of it'],
  ])('says that it leaves %s behind (hack/decisions/0028 M13)', (_what, facts, note) => {
    const seen = view({ machine: leaver, ...facts });
    expect(newsOf(seen, plan(seen), undefined)).toMatchObject([{ note: expect.stringContaining(note) }]);
  });

  test('tells what to write on a Node of a control plane, before it leaves as well (hack/decisions/0028 M12)', () => {
    const record = 'kubectl annotate node m machine.sapcloud.io/machine=m machine.sapcloud.io/cluster-namespace=herd';
    const facts = { vm, claim: { at: 'own', marked: false }, node: strange, calls: asked } as const;
    const { outcome } = plan(view({ machine: leaver, ...facts }));
    expect(outcome).toMatchObject({ message: expect.stringContaining(record) });
    const lives = view({ machine: running, ...facts });
    const conditions = statusOf(lives, plan(lives), at(60))?.conditions;
    expect(conditions?.find(({ type }) => type === 'NodeSynced')).toMatchObject({
      status: 'False',
      reason: 'ControlPlaneNode',
      message: expect.stringContaining(record),
    });
  });
});
