import { describe, expect, test } from 'bun:test';
import { machineClass } from '../../../test/fixtures/objects.ts';
import { drain, NOW } from '../../drain/flow/view.fixture.ts';
import { cordoned, hooked, judge, labelled, leaver, type Row } from './drain.fixture.ts';
import { idle, vm } from './view.fixture.ts';

/** hack/decisions/0051 U11 */

const PRE_DRAIN = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/backup';
const PRE_TERMINATE = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/etcd';
const annotations = { [PRE_DRAIN]: '', [PRE_TERMINATE]: '' };
const joined = { nodeRef: { name: 'm', uid: 'uid-node' } };
const ofMcm = { conditions: [{ type: 'Ready', status: 'True' }] } as never;
const gone = { node: { at: 'absent' }, drain: undefined } as const;
const asked = { calls: { ...idle, askedAt: NOW }, now: NOW, vm };
const retained = { calls: { ...idle, askedAt: NOW, retained: true as const }, now: NOW, vm };
const kept = (metadata: object) =>
  leaver({ metadata, spec: { providerID: vm.providerID, deletionPolicy: 'Retain' } as never });
const others = { ...cordoned, ours: false as const };

describe('a hook before the drain holds', () => {
  const rows: Row[] = [
    ['while there is a Node', { machine: leaver(hooked(PRE_DRAIN)) }, 'Drained', 'wait WaitingForPreDrainHook'],
    [
      'when the Node has gone',
      { machine: leaver({ ...hooked(PRE_DRAIN), status: joined }), ...gone },
      'Drained',
      'wait WaitingForPreDrainHook',
    ],
    [
      'when the Node has gone, which MCM alone saw',
      { machine: leaver({ ...hooked(PRE_DRAIN), status: ofMcm }), ...gone },
      'Drained',
      'wait WaitingForPreDrainHook',
    ],
    [
      'when the Node is that of another machine',
      { machine: leaver(hooked(PRE_DRAIN)), node: others },
      'Drained',
      'wait WaitingForPreDrainHook',
    ],
    [
      'when VM and Node are to stay',
      { machine: kept(hooked(PRE_DRAIN).metadata), ...retained },
      'Drained',
      'wait WaitingForPreDrainHook',
    ],
    [
      'when the VM is that of another',
      { machine: leaver(hooked(PRE_DRAIN)), claim: { at: 'others', whose: 'somebody' } },
      'Drained',
      'wait WaitingForPreDrainHook',
    ],
    ['no machine that never had a Node', { machine: leaver(hooked(PRE_DRAIN)), ...gone }, 'VMDeleted', 'act DeleteVM'],
    [
      'none that goes by force',
      { machine: leaver({ metadata: { ...labelled('true').metadata, annotations }, status: joined }), ...gone },
      'VMDeleted',
      'act DeleteVM',
    ],
    [
      'none whose VM is being deleted',
      {
        machine: leaver({ ...hooked(PRE_DRAIN), status: joined }),
        ...gone,
        calls: { ...idle, inFlight: { method: 'deleteMachine', since: NOW } },
      },
      'VMDeleted',
      'wait DriverCallInProgress',
    ],
  ];
  test.each(rows)('%s', (_what, facts, step, reason) =>
    expect(judge({ ...asked, drain: drain(), class: { at: 'ours', class: machineClass() }, ...facts })).toEqual([
      step,
      reason,
    ]),
  );
});

describe('a hook before the end of the VM holds', () => {
  const rows: Row[] = [
    [
      'when the VM is to stay',
      { machine: kept(hooked(PRE_TERMINATE).metadata), ...retained },
      'VMDeleted',
      'wait WaitingForPreTerminateHook',
    ],
    [
      'when the VM is that of another',
      { machine: leaver(hooked(PRE_TERMINATE)), claim: { at: 'others', whose: 'somebody' } },
      'VMDeleted',
      'wait WaitingForPreTerminateHook',
    ],
    [
      'when the VM has gone by itself',
      { machine: leaver(hooked(PRE_TERMINATE)), vm: { at: 'absent', since: 0 }, ...gone },
      'VMDeleted',
      'wait WaitingForPreTerminateHook',
    ],
    [
      'none that goes by force',
      {
        machine: kept({ ...labelled('true').metadata, annotations }),
        ...retained,
      },
      'FinalizerRemoved',
      'act RemoveFinalizer',
    ],
  ];
  test.each(rows)('%s', (_what, facts, step, reason) =>
    expect(judge({ ...asked, drain: drain(), ...facts })).toEqual([step, reason]),
  );
});
