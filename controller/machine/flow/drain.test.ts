import { describe, expect, test } from 'bun:test';
import { at, BORN } from '../../../test/fixtures/objects.ts';
import { drain, NOW, pod } from '../../drain/flow/view.fixture.ts';
import type { BlindReason, DrainView } from '../../drain/flow/view.ts';
import { begun, busy, cordoned, drainFrom, hooked, judge, labelled, leaver, type Row } from './drain.fixture.ts';
import { plan } from './flow.ts';
import { restartedClocks } from './outage.ts';
import { idle, readyNode, view } from './view.fixture.ts';
import type { MachineView } from './view.ts';

const PRE_DRAIN = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/etcd';
const notReady = (since: number) => ({
  ...cordoned,
  conditions: [{ type: 'Ready', status: 'Unknown', lastTransitionTime: at(since) }] as never,
});
const LATE = BORN + 7_260_000;
const readOnly = {
  ...cordoned,
  conditions: [{ type: 'ReadonlyFilesystem', status: 'True', lastTransitionTime: at(-240) }] as never,
};
/** Nobody knows the pods (hack/decisions/0028). */
const blind = (more: Partial<DrainView> = {}) => drain({ podsKnown: false, ...more });
const late = blind({ now: LATE, deadline: LATE });
const refused = new Map([['Drained', { message: 'no', retryAt: NOW + 600_000 }]]);

describe('a Machine that leaves is drained (hack/spec/cluster-api.md A1.12 L10)', () => {
  const rows: Row[] = [
    [
      'after its Node is cordoned (hack/spec/mcm.md 6.8)',
      { node: readyNode, drain: busy() },
      'Drained',
      'act CordonNode',
    ],
    ['cordoned even if nothing runs there', { node: readyNode }, 'Drained', 'act CordonNode'],
    [
      'not without a Node (hack/spec/mcm.md 6.8)',
      { node: { at: 'absent' }, drain: undefined },
      'VMDeleted',
      'act DeleteVM',
    ],
    [
      'not without a target cluster (hack/spec/mcm.md 0.2)',
      { node: { at: 'none' }, drain: undefined },
      'VMDeleted',
      'act DeleteVM',
    ],
    ['not if nothing runs on its Node', {}, 'VMDeleted', 'act DeleteVM'],
    [
      'to tell who is let be, though nobody else is there',
      { drain: drain({ skipped: [{ name: 'shop/log', by: 'MachineDrainRule logs' }] }) },
      'Drained',
      'act StartDrain',
    ],
    [
      'not before the rules for its pods can be listed',
      { drain: blind({ rulesUnknown: true }) },
      'Drained',
      'wait DrainRulesUnknown',
    ],
    ['not before its pods can be listed', { drain: blind() }, 'Drained', 'wait PodsUnknown'],
    ['nor after its time if they still cannot', { ...begun, now: LATE, drain: late }, 'Drained', 'wait PodsUnknown'],
    [
      'nor where the cordon is refused',
      { ...begun, node: readyNode, now: LATE, drain: late, refused },
      'Drained',
      'wait PodsUnknown',
    ],
    [
      'but by force without them',
      { machine: leaver(labelled('true')), drain: blind({ forced: true }) },
      'Drained',
      'act StartDrain',
    ],
    [
      'which ends after its minute',
      {
        machine: leaver({ ...labelled('true'), status: drainFrom(60) }),
        now: LATE + 60_000,
        drain: { ...late, forced: true, now: LATE + 60_000 },
      },
      'Drained',
      'act ForcedDrainEnded',
    ],
    [
      'by whoever serves its class',
      { class: { at: 'foreign', provider: 'AWS' }, drain: busy() },
      'Drained',
      'wait NoDriverForProvider',
    ],
    ['without its class', { class: { at: 'missing', name: 'small' }, drain: busy() }, 'Drained', 'act StartDrain'],
    ['from a deadline on record', { drain: busy() }, 'Drained', 'act StartDrain'],
    ['by the engine', { ...begun, drain: busy() }, 'Drained', 'act EvictPods'],
    ['until that has ended', { ...begun }, 'Drained', 'act DrainSucceeded'],
    [
      'once: what is on record as ended does not begin anew',
      { machine: leaver({ status: drainFrom(60, { endedAt: at(60) }) }), drain: busy() },
      'VMDeleted',
      'act DeleteVM',
    ],
    [
      'not once its VM is being deleted',
      { drain: busy(), calls: { ...idle, inFlight: { method: 'deleteMachine', since: NOW } } },
      'VMDeleted',
      'wait DriverCallInProgress',
    ],
    [
      'once a hook lets it (hack/spec/cluster-api.md A2.3)',
      { machine: leaver(hooked(PRE_DRAIN)), node: readyNode },
      'Drained',
      'wait WaitingForPreDrainHook',
    ],
    [
      'after the write of the cordon is refused: by force alone',
      { ...begun, node: readyNode, drain: busy(), refused },
      'Drained',
      'wait WriteRefused',
    ],
    ['in its time all the same', { node: readyNode, drain: busy(), refused }, 'Drained', 'act StartDrain'],
    [
      'at which that ends',
      { ...begun, node: readyNode, drain: busy({ now: LATE, deadline: LATE }), now: LATE, refused },
      'Drained',
      'act DeletePods',
    ],
    [
      'or sooner by label',
      {
        machine: leaver({ ...labelled('true'), status: drainFrom(60) }),
        now: NOW + 10,
        node: readyNode,
        drain: busy({ now: NOW + 10 }),
        refused,
      },
      'Drained',
      'act ForceDrain',
    ],
    ['which nobody waits for if nothing runs on the Node', { node: readyNode, refused }, 'VMDeleted', 'act DeleteVM'],
  ];
  test.each(rows)('%s', (_what, facts, step, reason) => expect(judge(facts)).toEqual([step, reason]));

  test('with the reason why it leaves at its Node (hack/spec/mcm.md 2.5)', () => {
    const reasons = ['Failed', 'Running'].map((phase) => {
      const status = { currentStatus: { phase } } as never;
      const { outcome } = plan(view({ machine: leaver({ status }), node: readyNode, drain: drain() }));
      return outcome.kind === 'act' && outcome.action.do === 'changeNode' && outcome.action.change;
    });
    const marked = (reason: string) => ({
      unschedulable: true,
      condition: { type: 'Terminating', status: 'True', reason },
    });
    expect(reasons).toMatchObject([marked('Unhealthy'), marked('ScaleDown')]);
  });
});

describe('a drain is forced (hack/spec/mcm.md 6.8)', () => {
  const late = { now: NOW + 10, ...begun, drain: busy({ now: NOW + 10 }) };
  const rows: Row[] = [
    [
      'by the label',
      { ...late, machine: leaver({ ...labelled('T'), status: drainFrom(60) }) },
      'Drained',
      'act ForceDrain',
    ],
    [
      'not by a label that is no true',
      { ...late, machine: leaver({ ...labelled('yes'), status: drainFrom(60) }) },
      'Drained',
      'act EvictPods',
    ],
    ['on a Node that was not ready for five minutes', { ...late, node: notReady(-240) }, 'Drained', 'act ForceDrain'],
    ['not on one that was so for four', { ...late, node: notReady(-200) }, 'Drained', 'act EvictPods'],
    ['on a Node that cannot write for five minutes', { ...late, node: readOnly }, 'Drained', 'act ForceDrain'],
    [
      'by a time-out that was shortened meanwhile',
      { ...late, drain: busy({ limits: { ...drain().limits, timeoutMs: 0 } }) },
      'Drained',
      'act ForceDrain',
    ],
    ['once', { ...late, node: notReady(-240), drain: busy({ deadline: NOW }) }, 'Drained', 'act DeletePods'],
    [
      'after its time, which nothing lengthens',
      { ...late, drain: busy({ deadline: NOW }) },
      'Drained',
      'act DeletePods',
    ],
    ['and ends so', { ...late, drain: drain({ deadline: NOW }) }, 'Drained', 'act ForcedDrainEnded'],
    [
      'even if nothing runs on the Node, for volumes may hang there',
      { node: notReady(-240) },
      'Drained',
      'act StartDrain',
    ],
    [
      'by label without regard for hooks',
      { machine: leaver({ metadata: { ...labelled('1').metadata, ...hooked(PRE_DRAIN).metadata } }) },
      'Drained',
      'act StartDrain',
    ],
  ];
  test.each(rows)('%s', (_what, facts, step, reason) => expect(judge(facts)).toEqual([step, reason]));

  test('and looked at in the moment in which the Node counts as lost', () => {
    const { outcome } = plan(
      view({ ...begun, node: notReady(-239), drain: busy({ pods: [pod('a', { endsAt: NOW + 30_000 })] }) }),
    );
    expect(outcome).toMatchObject({ kind: 'wait', ms: 1_000 });
  });

  test('and once it is so, deletions under way are waited for without haste', () => {
    const inFlight = busy({ now: NOW + 10, deadline: NOW, pods: [pod('a', { inFlight: 'deletion' })] });
    const { outcome } = plan(view({ ...late, node: notReady(-240), drain: inFlight }));
    expect(outcome).toMatchObject({ kind: 'wait', ms: 5_000 });
  });
});

describe('the clocks of a drain', () => {
  const written = (facts: Partial<MachineView>) => {
    const { outcome } = plan(view({ machine: leaver(), node: cordoned, drain: busy(), ...facts }));
    return outcome.kind === 'act' && outcome.action.do === 'recordDeletion' ? outcome.action.deletion : outcome;
  };

  test('are absolute, and count from its beginning: a hook does not take from its time', () => {
    expect(written({})).toEqual({ startedAt: at(30), drain: { startedAt: at(60), deadline: at(7_260) } });
  });

  test('are moved to now by force', () => {
    const machine = leaver({ ...labelled('true'), status: drainFrom(60) });
    expect(written({ machine, now: NOW + 5_000 })).toMatchObject({ drain: { startedAt: at(60), deadline: at(65) } });
  });

  // hack/decisions/0051 L10
  test.each([
    ['longer', 28_800_000, at(28_860)],
    ['shorter', 3_600_000, at(3_660)],
  ])(
    'follow a time-out that is %s by now, from the beginning of the drain (hack/spec/mcm.md 6.8)',
    (_what, timeoutMs, deadline) => {
      const machine = leaver({ status: drainFrom(60) });
      const changed = busy({ now: NOW + 10_000, limits: { ...drain().limits, timeoutMs } });
      expect(written({ machine, now: NOW + 10_000, drain: changed })).toMatchObject({
        drain: { startedAt: at(60), deadline },
      });
    },
  );

  test('do not follow it once they are over, or were moved to now', () => {
    const limits = { ...drain().limits, timeoutMs: 28_800_000 };
    const machine = leaver({ status: drainFrom(60, { deadline: at(65) }) });
    const over = busy({ now: NOW + 5_000, deadline: NOW + 5_000, limits });
    expect(written({ machine, now: NOW + 5_000, drain: over })).toMatchObject({ reason: 'DeletePods' });
  });

  test('are whole seconds, of whatever length the time-out is', () => {
    const limits = { ...drain().limits, timeoutMs: 90_500 };
    const started = written({ now: NOW + 700, drain: busy({ now: NOW + 700, limits }) }) as { drain: object };
    expect(started.drain).toEqual({ startedAt: at(60), deadline: at(150) });
    const machine = leaver({ status: { deletion: { startedAt: at(30), ...started } } as never });
    const next = busy({ now: NOW + 800, deadline: NOW + 90_000, limits });
    expect(written({ machine, now: NOW + 800, drain: next })).toMatchObject({ reason: 'EvictPods' });
  });

  // hack/decisions/0028, hack/decisions/0051 L28, L88
  const unknown = { PodsUnknown: true, DrainRulesUnknown: true } satisfies Record<BlindReason, true>;
  test.each(Object.keys(unknown))('are whole again once what nobody could list is known (%s)', (reason) => {
    const currentStep = { name: 'Drained', reason };
    const machine = leaver({ status: { ...drainFrom(60), currentStep } as never });
    const seen = { ...begun, machine, now: LATE, drain: busy({ now: LATE, deadline: LATE }) };
    expect(restartedClocks(view(seen))).toMatchObject({
      deletion: { drain: { startedAt: at(7_260), deadline: at(14_460) } },
      currentStep: { reason: 'OutageOver' },
    });
    expect(restartedClocks(view({ ...seen, drain: late }))).toBeUndefined();
  });

  test('run on while rules are known that are faulty', () => {
    const undecided = { step: 'Drained', reason: 'DrainRulesUndecided' };
    const machine = leaver({ status: { ...drainFrom(60), currentStep: undecided } as never });
    expect(restartedClocks(view({ ...begun, machine, now: LATE, drain: busy({ now: LATE }) }))).toBeUndefined();
  });

  test('end with time for volumes only after force', () => {
    const machine = leaver({ status: drainFrom(60) });
    const inTime = written({ machine, drain: drain() });
    expect(inTime).toMatchObject({ drain: { endedAt: at(60), pods: [] } });
    expect(inTime).not.toHaveProperty('detachDeadline');
    const left = drain({ now: BORN + 7_320_000, deadline: BORN + 7_260_000, pods: [pod('a', { deleteAt: BORN })] });
    expect(written({ machine, now: left.now, drain: left })).toMatchObject({
      drain: { endedAt: at(7_320), pods: [{ name: 'shop/a', result: 'Waiting' }] },
      detachDeadline: at(7_440),
    });
  });
});
