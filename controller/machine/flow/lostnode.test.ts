import { describe, expect, test } from 'bun:test';
import { at, BORN } from '../../../test/fixtures/objects.ts';
import { busy, cordoned, drainFrom, judge, labelled, leaver, type Row } from './drain.fixture.ts';
import { plan } from './flow.ts';
import { deleted, idle, view } from './view.fixture.ts';
import type { MachineView, NodeFact } from './view.ts';

// hack/decisions/0051 L6: the VM of a lost Node may be running, and writing to its volumes

const lost: NodeFact = {
  ...cordoned,
  ready: false,
  conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime: at(-240) }] as never,
};
const unready: NodeFact = {
  ...lost,
  conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime: at(59) }] as never,
};
const attached = (leaving = false) => busy({ pods: [], attachments: [{ name: 'va', leaving, used: false }] });
const { attachments: _, ...unlisted } = busy({ pods: [] });
/** A drain that was forced has ended; volumes have until then. */
const forced = (more: object = {}) => ({
  deletion: { ...drainFrom(30, { endedAt: at(60), deadline: at(60) }).deletion, ...more },
});
const ended = { machine: leaver({ status: forced() }), drain: attached(), node: lost };
const timed = { ...ended, machine: leaver({ status: forced({ detachDeadline: at(180) }) }), ...deleted };
const OUT = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };
const tainted: NodeFact = { ...lost, object: { ...cordoned.object, spec: { unschedulable: true, taints: [OUT] } } };

describe('volumes of a lost Node', () => {
  const rows: Row[] = [
    ['stay where they are until its VM is gone', ended, 'VMDeleted', 'act DeleteVM'],
    ['get their time then', { ...ended, ...deleted }, 'VolumesReleased', 'act VolumesDetaching'],
    ['are freed by declaring the Node out of service', timed, 'VolumesReleased', 'act TaintOutOfService'],
    ['and detached, as MCM does', { ...timed, node: tainted }, 'VolumesReleased', 'act DetachVolumes'],
    [
      'those as well that may be of pods which are let be',
      {
        ...timed,
        node: tainted,
        drain: busy({ pods: [], attachments: [{ name: 'va', leaving: false, used: false, unsure: true }] }),
      },
      'VolumesReleased',
      'act DetachVolumes',
    ],
    ['and waited for', { ...timed, node: tainted, drain: attached(true) }, 'VolumesReleased', 'wait VolumesDetaching'],
    [
      'unless the drain ended in time',
      { ...timed, machine: leaver({ status: drainFrom(30, { endedAt: at(60) }) }) },
      'NodeDeleted',
      'act DeleteNode',
    ],
    ['until they are gone', { ...timed, drain: { ...attached(), attachments: [] } }, 'NodeDeleted', 'act DeleteNode'],
    [
      'or nothing tells of any where they cannot be listed',
      { ...ended, drain: unlisted, ...deleted },
      'NodeDeleted',
      'act DeleteNode',
    ],
    [
      'or their time is over',
      { ...timed, machine: leaver({ status: forced({ detachDeadline: at(60) }) }) },
      'NodeDeleted',
      'act DeleteNode',
    ],
    [
      'or the taint is refused, and it is over',
      { ...timed, refused: new Map([['VolumesReleased', { message: 'no', retryAt: BORN + 999_000 }]]) },
      'VolumesReleased',
      'wait VolumesDetaching',
    ],
    [
      'are detached first where somebody takes it on himself, by label (hack/spec/mcm.md 6.8)',
      { ...ended, machine: leaver({ ...labelled('true'), status: forced({ detachDeadline: at(180) }) }) },
      'VolumesDetached',
      'act DetachVolumes',
    ],
    [
      'and once the Node is back, as after any drain by force',
      { ...ended, node: cordoned },
      'VolumesDetached',
      'act VolumesDetaching',
    ],
  ];
  test.each(rows)('%s', (_what, facts, step, reason) => expect(judge(facts)).toEqual([step, reason]));

  test('have their time from the end of the VM on, not from that of the drain', () => {
    const { outcome } = plan(
      view({
        machine: leaver({ status: drainFrom(30, { deadline: at(60) }) }),
        node: lost,
        drain: busy({ pods: [], deadline: BORN + 60_000 }),
      }),
    );
    expect(outcome).toMatchObject({ reason: 'ForcedDrainEnded' });
    expect(outcome.kind === 'act' && JSON.stringify(outcome.action)).not.toContain('detachDeadline');
  });
});

describe('a VM that is known to be gone', () => {
  const vanished: Partial<MachineView> = {
    vm: { at: 'absent', since: BORN },
    calls: { ...idle, askedAt: BORN + 10_000 },
  };
  const rows: Row[] = [
    ['forces the drain at once', { node: unready, drain: busy(), ...vanished }, 'Drained', 'act StartDrain'],
    [
      'also one that is under way',
      {
        node: unready,
        drain: busy({ now: BORN + 60_010 }),
        now: BORN + 60_010,
        machine: leaver({ status: drainFrom(60) }),
        ...vanished,
      },
      'Drained',
      'act ForceDrain',
    ],
    [
      'and so known by another process',
      {
        node: unready,
        drain: busy({ now: BORN + 60_010 }),
        now: BORN + 60_010,
        machine: leaver({ status: { ...drainFrom(60), errorReason: 'VMNotFound' } as never }),
      },
      'Drained',
      'act ForceDrain',
    ],
    [
      'not while its Node is Ready',
      { drain: busy(), ...vanished, machine: leaver({ status: drainFrom(60) }) },
      'Drained',
      'act EvictPods',
    ],
    [
      'and its volumes wait for the end of what it brought',
      { ...ended, node: unready, ...vanished },
      'VMDeleted',
      'act DeleteVM',
    ],
  ];
  test.each(rows)('%s', (_what, facts, step, reason) => expect(judge(facts)).toEqual([step, reason]));
});
