import { describe, expect, test } from 'bun:test';
import { at } from '../../../test/fixtures/objects.ts';
import { NOW } from '../../drain/flow/view.fixture.ts';
import { busy, drainFrom, hooked, judge, leaver, type Row } from './drain.fixture.ts';
import { plan } from './flow.ts';
import type { Deletion } from './outage.ts';
import { readyNode, view } from './view.fixture.ts';

/** hack/decisions/0051 U14 */

const DRAIN = 'machine.cluster.x-k8s.io/exclude-node-draining';
const VOLUMES = 'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach';
const hook = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/etcd';
const ended = drainFrom(60, { endedAt: at(60) });
const attached = busy({ attachments: [{ name: 'va', used: false, spared: false, leaving: false }] as never });
const timed = { deletion: { ...ended.deletion, detachDeadline: at(180) } };
const over = { deletion: { ...ended.deletion, detachDeadline: at(60) } };

describe('a Machine that is excluded', () => {
  const rows: Row[] = [
    [
      'from drains is not cordoned',
      { machine: leaver(hooked(DRAIN)), node: readyNode, drain: busy() },
      'Drained',
      'act DrainSkipped',
    ],
    [
      'while it is drained is drained no further',
      { machine: leaver({ ...hooked(DRAIN), status: drainFrom(60) }), drain: busy() },
      'Drained',
      'act DrainSkipped',
    ],
    [
      'goes on once that is on record',
      { machine: leaver({ ...hooked(DRAIN), status: ended }), node: readyNode, drain: busy() },
      'VMDeleted',
      'act DeleteVM',
    ],
    [
      'is held by hooks all the same',
      { machine: leaver({ metadata: { annotations: { [DRAIN]: '', [hook]: '' } } }), drain: busy() },
      'Drained',
      'wait WaitingForPreDrainHook',
    ],
    [
      'from drains alone waits for volumes',
      { machine: leaver({ ...hooked(DRAIN), status: ended }), drain: attached },
      'VolumesDetached',
      'act VolumesDetaching',
    ],
    [
      'from that wait',
      { machine: leaver({ ...hooked(VOLUMES), status: ended }), drain: attached },
      'VolumesDetached',
      'act VolumeDetachSkipped',
    ],
    [
      'from that wait, once it has begun',
      { machine: leaver({ ...hooked(VOLUMES), status: timed }), drain: attached },
      'VolumesDetached',
      'act VolumeDetachSkipped',
    ],
    [
      'from that wait goes on once that is on record',
      { machine: leaver({ ...hooked(VOLUMES), status: over }), drain: attached },
      'VMDeleted',
      'act DeleteVM',
    ],
    [
      'from that wait alone is drained',
      { machine: leaver(hooked(VOLUMES)), drain: busy() },
      'Drained',
      'act StartDrain',
    ],
  ];
  test.each(rows)('%s', (_what, facts, step, reason) => expect(judge({ now: NOW, ...facts })).toEqual([step, reason]));

  test.each([[0], [7_200_000]])('did not end its drain by force, with a time-out of %p ms', (timeoutMs) => {
    const one = busy();
    const drain = { ...one, limits: { ...one.limits, timeoutMs } };
    const { outcome } = plan(view({ now: NOW, machine: leaver(hooked(DRAIN)), node: readyNode, drain }));
    const action = outcome.kind === 'act' ? (outcome.action as { deletion?: Deletion }) : {};
    const { endedAt, deadline } = action.deletion?.drain ?? {};
    expect(Date.parse(endedAt ?? '')).toBeLessThan(Date.parse(deadline ?? ''));
  });
});
