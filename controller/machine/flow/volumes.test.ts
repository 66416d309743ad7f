import { describe, expect, test } from 'bun:test';
import { at, machineClass } from '../../../test/fixtures/objects.ts';
import { NOW } from '../../drain/flow/view.fixture.ts';
import { busy, cordoned, drainFrom, hooked, judge, labelled, leaver, type Row } from './drain.fixture.ts';
import { plan } from './flow.ts';
import { deleted, view } from './view.fixture.ts';

const PRE_TERMINATE = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/etcd';
const attached = (leaving: boolean, used = false) => busy({ pods: [], attachments: [{ name: 'va', leaving, used }] });
/** A volume of a pod that a rule spares. */
const spared = busy({ pods: [], attachments: [{ name: 'va', leaving: false, used: true, spared: true }] });
/** A drain that was forced and has ended; volumes have until then. */
const ended = (seconds: number) => ({
  status: {
    deletion: { ...drainFrom(30, { endedAt: at(60), deadline: at(60) }).deletion, detachDeadline: at(seconds) },
  },
});
/** A volume that may be that of such a pod: its claim has not been looked up. */
const unsure = busy({
  pods: [],
  attachments: [{ name: 'va', leaving: false, used: false, unsure: true }],
  lookUp: ['shop/log'],
});
const { attachments: _, ...unlisted } = busy({ pods: [] });
const listed = {
  ...cordoned,
  object: { ...cordoned.object, status: { ...cordoned.object.status, volumesAttached: [{ name: 'v' }] } },
};
const inTime = drainFrom(60, { endedAt: at(60) });
/** A drain that ended in time; volumes have until then. */
const waited = (seconds: number) => ({ status: { deletion: { ...inTime.deletion, detachDeadline: at(seconds) } } });

describe('after a forced drain the volumes of the Node (hack/spec/cluster-api.md A1.12 L10)', () => {
  const rows: Row[] = [
    [
      'are detached (hack/spec/mcm.md 6.7, S3)',
      { machine: leaver(ended(180)), drain: attached(false) },
      'VolumesDetached',
      'act DetachVolumes',
    ],
    [
      'stay where the pod is let be that uses them',
      { machine: leaver(ended(180)), drain: spared },
      'VMDeleted',
      'act DeleteVM',
    ],
    [
      'are detached from that one as well by label',
      { machine: leaver({ ...ended(180), ...labelled('true') }), drain: spared },
      'VolumesDetached',
      'act DetachVolumes',
    ],
    // hack/decisions/0051 L36
    [
      'are looked up where a pod is let be that may use them',
      { machine: leaver(ended(180)), drain: unsure },
      'VolumesDetached',
      'act GetVolumes',
    ],
    [
      'also beside others that are known',
      {
        machine: leaver(ended(180)),
        drain: { ...unsure, attachments: [...(unsure.attachments ?? []), { name: 'vb', leaving: false, used: true }] },
      },
      'VolumesDetached',
      'act GetVolumes',
    ],
    [
      'stay while it is not known whose they are',
      { machine: leaver(ended(180)), drain: { ...unsure, lookUp: [] } },
      'VolumesDetached',
      'wait VolumesDetaching',
    ],
    [
      'for their time and no longer',
      { machine: leaver(ended(60)), drain: { ...unsure, lookUp: [] } },
      'VMDeleted',
      'act DeleteVM',
    ],
    [
      'not by label',
      { machine: leaver({ ...ended(180), ...labelled('true') }), drain: unsure },
      'VolumesDetached',
      'act DetachVolumes',
    ],
    [
      'are not looked up where no pod is let be',
      { machine: leaver(ended(180)), drain: { ...attached(false), lookUp: ['shop/log'] } },
      'VolumesDetached',
      'act DetachVolumes',
    ],
    // hack/decisions/0051 L31
    [
      'stay while nobody knows which pods are let be',
      { machine: leaver(ended(180)), drain: { ...attached(false), podsKnown: false } },
      'VolumesDetached',
      'wait PodsUnknown',
    ],
    [
      'or by which rules',
      { machine: leaver(ended(180)), drain: { ...attached(false), podsKnown: false, rulesUnknown: true } },
      'VolumesDetached',
      'wait DrainRulesUnknown',
    ],
    [
      'for their time and no longer',
      { machine: leaver(ended(60)), drain: { ...attached(false), podsKnown: false } },
      'VMDeleted',
      'act DeleteVM',
    ],
    [
      'not by label',
      { machine: leaver({ ...ended(180), ...labelled('true') }), drain: { ...attached(false), podsKnown: false } },
      'VolumesDetached',
      'act DetachVolumes',
    ],
    [
      'and waited for',
      { machine: leaver(ended(180)), drain: attached(true) },
      'VolumesDetached',
      'wait VolumesDetaching',
    ],
    ['until their time is over', { machine: leaver(ended(60)), drain: attached(true) }, 'VMDeleted', 'act DeleteVM'],
    ['or none is left', { machine: leaver(ended(180)) }, 'VMDeleted', 'act DeleteVM'],
    [
      'or the Node is gone',
      { machine: leaver(ended(180)), node: { at: 'absent' }, drain: undefined },
      'VMDeleted',
      'act DeleteVM',
    ],
    [
      'are waited for when they may not be detached',
      {
        machine: leaver(ended(180)),
        drain: attached(false),
        refused: new Map([['VolumesDetached', { message: 'no', retryAt: NOW + 600_000 }]]),
      },
      'VolumesDetached',
      'wait VolumesDetaching',
    ],
  ];
  test.each(rows)('%s', (_what, facts, step, reason) => expect(judge(facts)).toEqual([step, reason]));

  test('are detached but for those that a pod may use which is let be', () => {
    const attachments = [...(unsure.attachments ?? []), { name: 'vb', leaving: false, used: false }];
    const drain = busy({ pods: [], attachments });
    const { outcome } = plan(view({ machine: leaver(ended(180)), node: cordoned, drain }));
    expect(outcome).toMatchObject({ action: { do: 'deleteAttachments', names: ['vb'] } });
  });
});

// hack/decisions/0051 L3
describe('after a drain in good time, or none, the volumes of the Node', () => {
  const rows: Row[] = [
    [
      'have a time to come off, which is on record',
      { machine: leaver({ status: inTime }), drain: attached(false) },
      'VolumesDetached',
      'act VolumesDetaching',
    ],
    ['even if nothing was drained', { drain: attached(false) }, 'VolumesDetached', 'act VolumesDetaching'],
    [
      'are waited for, and not touched',
      { machine: leaver(waited(180)), drain: attached(false) },
      'VolumesDetached',
      'wait VolumesDetaching',
    ],
    ['until their time is over', { machine: leaver(waited(60)), drain: attached(true) }, 'VMDeleted', 'act DeleteVM'],
    [
      'not those of pods that stay',
      { machine: leaver({ status: inTime }), drain: attached(false, true) },
      'VMDeleted',
      'act DeleteVM',
    ],
    [
      'of which it is looked up whose they are',
      { machine: leaver({ status: inTime }), drain: { ...attached(false), lookUp: ['shop/log'] } },
      'VolumesDetached',
      'act GetVolumes',
    ],
    [
      'are waited for if only the Node tells of them',
      { machine: leaver(waited(180)), node: listed, drain: unlisted },
      'VolumesDetached',
      'wait VolumeAttachmentsUnknown',
    ],
    [
      'not if nothing tells of any',
      { machine: leaver({ status: inTime }), drain: unlisted },
      'VMDeleted',
      'act DeleteVM',
    ],
  ];
  test.each(rows)('%s', (_what, facts, step, reason) => expect(judge(facts)).toEqual([step, reason]));

  test('have it written beside the record of the drain, which stays', () => {
    const { outcome } = plan(view({ machine: leaver({ status: inTime }), node: cordoned, drain: attached(false) }));
    expect(outcome.kind === 'act' && outcome.action).toEqual({
      do: 'recordDeletion',
      deletion: { startedAt: at(30), detachDeadline: at(180) },
    });
  });

  test.each([
    [180, 5_000],
    [63, 3_000],
  ])('are looked at again in time: they have until %p', (seconds, ms) => {
    const { outcome } = plan(view({ machine: leaver(waited(seconds)), node: cordoned, drain: attached(false) }));
    expect(outcome).toMatchObject({ reason: 'VolumesDetaching', ms });
  });

  test('have their whole time, whatever was on record of another deletion', () => {
    const other = { deletion: { ...waited(60).status.deletion, startedAt: at(0) } };
    const { outcome } = plan(view({ machine: leaver({ status: other }), node: cordoned, drain: attached(false) }));
    const deletion = { startedAt: at(30), detachDeadline: at(180), drain: null };
    expect(outcome).toMatchObject({ action: { do: 'recordDeletion', deletion } });
  });
});

describe('a hook before the VM is deleted (hack/spec/cluster-api.md A1.12 L10, A2.3)', () => {
  const rows: Row[] = [
    ['is waited for', { machine: leaver(hooked(PRE_TERMINATE)) }, 'VMDeleted', 'wait WaitingForPreTerminateHook'],
    [
      'without a Node too',
      { machine: leaver(hooked(PRE_TERMINATE)), node: { at: 'absent' }, drain: undefined },
      'VMDeleted',
      'wait WaitingForPreTerminateHook',
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
      'VMDeleted',
      'act DeleteVM',
    ],
    [
      'not once the VM is being deleted',
      {
        machine: leaver(hooked(PRE_TERMINATE)),
        class: { at: 'ours', class: machineClass() },
        ...deleted,
        node: { at: 'absent' },
        drain: undefined,
      },
      'FinalizerRemoved',
      'act RemoveFinalizer',
    ],
  ];
  test.each(rows)('%s', (_what, facts, step, reason) => expect(judge(facts)).toEqual([step, reason]));
});

// hack/decisions/0028 T30
test('of many volumes three are named, and the others counted', () => {
  const attachments = Array.from({ length: 5_000 }, (_, n) => ({ name: `csi-${n}`, leaving: true, used: false }));
  const facts = view({ machine: leaver(waited(180)), node: cordoned, drain: busy({ pods: [], attachments }) });
  expect(plan(facts).outcome).toMatchObject({ message: 'csi-0, csi-1, csi-2 and 4997 more' });
});
