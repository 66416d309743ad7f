import { describe, expect, test } from 'bun:test';
import { ANNOTATION_DELETE_HOST } from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { machine, node } from '../../../test/fixtures/objects.ts';
import type { Host } from '../../nodes/host.ts';
import { isHost } from './deletion.ts';
import { busy, drainFrom, judge, leaver } from './drain.fixture.ts';
import { idle, readyNode, recorded, vm } from './view.fixture.ts';
import type { NodeFact } from './view.ts';

const host = { name: 'm', uid: 'uid-node' };
const foreign: NodeFact = { at: 'foreign', name: 'm', providerID: 'virtual:///x', stale: false };
const gone = { at: 'absent' } as const;
const known = (uid: string) => machine({ ...recorded, status: { nodeRef: { name: 'm', uid } } });
const elsewhere = machine({ ...recorded, metadata: { labels: { node: 'other' } } });

describe('hack/decisions/0000 7, hack/spec/cluster-api.md A1.8: the controller runs on the Node of a machine', () => {
  test.each<[string, Host | undefined, Machine, NodeFact, boolean]>([
    ['with its name and UID', host, machine(recorded), readyNode, true],
    [
      'with its name, when its own UID cannot be read: in doubt yes',
      { name: 'm', uid: undefined },
      machine(recorded),
      readyNode,
      true,
    ],
    ['that cannot be read now: in doubt yes', host, machine(recorded), { at: 'unknown' } as const, true],
    ['of its name in another cluster: no', host, machine(recorded), { ...readyNode, uid: 'uid-there' }, false],
    ['of its name that is another VM’s: no', host, machine(recorded), foreign, false],
    ['that was deleted by hand (hack/decisions/0051 L23)', host, known('uid-node'), gone, true],
    [
      'that was deleted by hand, and that nobody knew: in doubt yes (hack/decisions/0051 L23)',
      host,
      machine(recorded),
      gone,
      true,
    ],
    ['that is gone, and was in another cluster: no', host, known('uid-there'), gone, false],
    [
      'that was deleted by hand and registered anew (hack/decisions/0051 L23)',
      { ...host, bootID: 'boot' },
      known('uid-node'),
      { ...readyNode, uid: 'uid-anew', object: node({ status: { nodeInfo: { bootID: 'boot' } } }) },
      true,
    ],
    [
      'of its name in another cluster, that was booted at another time: no',
      { ...host, bootID: 'boot' },
      machine(recorded),
      { ...readyNode, uid: 'uid-there', object: node({ status: { nodeInfo: { bootID: 'other' } } }) },
      false,
    ],
    [
      'of which nobody knows, for its target was given up (hack/decisions/0051 L23)',
      host,
      known('uid-node'),
      { at: 'none' } as const,
      true,
    ],
    [
      'that tells no id, and may be that of the VM (hack/decisions/0051 L23)',
      host,
      known('uid-node'),
      { ...foreign, providerID: '', why: 'no id tells' },
      true,
    ],
    ['of another name: no', host, elsewhere, readyNode, false],
    ['when nobody told it where it runs: no', undefined, machine(recorded), readyNode, false],
  ])('%s', (_what, one, of, seen, is) => expect(isHost(one, { machine: of, node: seen })).toBe(is));
});

describe('a machine that leaves, on which the controller runs,', () => {
  const drained = leaver({ status: drainFrom(60, { endedAt: '2026-01-01T00:00:50Z' }) });
  const allowed = leaver({ metadata: { annotations: { [ANNOTATION_DELETE_HOST]: 'true' } } });
  const done = { vm, isHost: true, calls: idle };
  test.each([
    ['is drained all the same', { ...done, drain: busy() }, 'Drained', 'act StartDrain'],
    ['then keeps its VM', { ...done, machine: drained }, 'VMDeleted', 'wait HostOfController'],
    ['goes if a person says so', { ...done, machine: allowed }, 'VMDeleted', 'act DeleteVM'],
    [
      'goes when the controller runs elsewhere',
      { ...done, machine: drained, isHost: false },
      'VMDeleted',
      'act DeleteVM',
    ],
  ])('%s', (_what, facts, step, reason) => expect(judge(facts)).toEqual([step, reason]));
});
