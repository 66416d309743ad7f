import { describe, expect, test } from 'bun:test';
import { ANNOTATION_DELETE_HOST } from '../../schemas/keys.ts';
import { machine } from '../../test/fixtures/objects.ts';
import { busy, drainFrom, judge, leaver } from './draining.fixture.ts';
import { isHost } from './hosting.ts';
import { idle, readyNode, recorded, vm } from './view.fixture.ts';
import type { NodeFact } from './view.ts';

const host = { name: 'm', uid: 'uid-node' };
const foreign: NodeFact = { at: 'foreign', name: 'm', providerID: 'virtual:///x', stale: false };
const elsewhere = machine({ ...recorded, metadata: { labels: { node: 'other' } } });

describe('decisions 7, CKV A1.8: the controller runs on the Node of a machine', () => {
  test.each([
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
    ['of its name that is gone: no', host, machine(recorded), { at: 'absent' } as const, false],
    ['of another name: no', host, elsewhere, readyNode, false],
    ['when nobody told it where it runs: no', undefined, machine(recorded), readyNode, false],
  ])('%s', (_what, one, of, node, is) => expect(isHost(one, { machine: of, node })).toBe(is));
});

describe('a machine that leaves, on which the controller runs,', () => {
  const drained = leaver({ status: drainFrom(60, { endedAt: '2026-01-01T00:00:50Z' }) });
  const allowed = leaver({ metadata: { annotations: { [ANNOTATION_DELETE_HOST]: 'true' } } });
  const done = { vm, isHost: true, calls: idle };
  test.each([
    ['is drained all the same', { ...done, drain: busy() }, 'Drained', 'act StartDrain'],
    ['then keeps its VM', { ...done, machine: drained }, 'VmDeleted', 'wait HostsController'],
    ['goes if a person says so', { ...done, machine: allowed }, 'VmDeleted', 'act DeleteVm'],
    [
      'goes when the controller runs elsewhere',
      { ...done, machine: drained, isHost: false },
      'VmDeleted',
      'act DeleteVm',
    ],
  ])('%s', (_what, facts, step, reason) => expect(judge(facts)).toEqual([step, reason]));
});
