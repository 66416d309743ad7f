import { describe, expect, test } from 'bun:test';
import { at, machineClass } from '../../test/fixtures/objects.ts';
import { NOW } from '../drain/view.fixture.ts';
import { busy, drainFrom, hooked, judge, leaver, type Row } from './draining.fixture.ts';
import { idle } from './view.fixture.ts';

const PRE_TERMINATE = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/etcd';
const attached = (leaving: boolean) => busy({ pods: [], attachments: [{ name: 'va', leaving }] });
const ended = (seconds: number) => ({
  status: { deletion: { ...drainFrom(60, { endedAt: at(60) }).deletion, detachDeadline: at(seconds) } },
});

describe('after a forced drain the volumes of the Node (CKV A1.12 L10)', () => {
  const rows: Row[] = [
    [
      'are detached (MCM 6.7, S3)',
      { machine: leaver(ended(180)), drain: attached(false) },
      'Detached',
      'act DetachVolumes',
    ],
    ['and waited for', { machine: leaver(ended(180)), drain: attached(true) }, 'Detached', 'wait VolumesDetaching'],
    ['until their time is over', { machine: leaver(ended(60)), drain: attached(true) }, 'VmDeleted', 'act DeleteVm'],
    ['or none is left', { machine: leaver(ended(180)) }, 'VmDeleted', 'act DeleteVm'],
    [
      'or the Node is gone',
      { machine: leaver(ended(180)), node: { at: 'absent' }, drain: undefined },
      'VmDeleted',
      'act DeleteVm',
    ],
    [
      'are waited for when they may not be detached',
      {
        machine: leaver(ended(180)),
        drain: attached(false),
        refused: new Map([['Detached', { message: 'no', retryAt: NOW + 600_000 }]]),
      },
      'Detached',
      'wait VolumesDetaching',
    ],
    [
      'are not touched after a drain in good time',
      { machine: leaver({ status: drainFrom(60, { endedAt: at(60) }) }), drain: attached(false) },
      'VmDeleted',
      'act DeleteVm',
    ],
  ];
  test.each(rows)('%s', (_what, facts, step, reason) => expect(judge(facts)).toEqual([step, reason]));
});

describe('a hook before the VM is deleted (CKV A1.12 L10, A2.3)', () => {
  const rows: Row[] = [
    ['is waited for', { machine: leaver(hooked(PRE_TERMINATE)) }, 'VmDeleted', 'wait PreTerminateHook'],
    [
      'without a Node too',
      { machine: leaver(hooked(PRE_TERMINATE)), node: { at: 'absent' }, drain: undefined },
      'VmDeleted',
      'wait PreTerminateHook',
    ],
    [
      'not by a Machine that is deleted by force',
      {
        machine: leaver({
          metadata: { ...hooked(PRE_TERMINATE).metadata, labels: { 'force-deletion': 'true', node: 'm' } },
        }),
        node: { at: 'absent' },
        drain: undefined,
      },
      'VmDeleted',
      'act DeleteVm',
    ],
    [
      'not once the VM is being deleted',
      {
        machine: leaver(hooked(PRE_TERMINATE)),
        class: { at: 'ours', class: machineClass() },
        calls: { ...idle, deleted: true },
        node: { at: 'absent' },
        drain: undefined,
      },
      'Released',
      'act RemoveFinalizer',
    ],
  ];
  test.each(rows)('%s', (_what, facts, step, reason) => expect(judge(facts)).toEqual([step, reason]));
});
