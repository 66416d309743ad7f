import { expect, test } from 'bun:test';
import { at, inPhase } from '../../../test/fixtures/objects.ts';
import { drain, moving, NOW, pod } from '../../drain/flow/view.fixture.ts';
import { begun, busy, cordoned, drainFrom, leaver } from '../flow/drain.fixture.ts';
import { plan } from '../flow/flow.ts';
import { view } from '../flow/view.fixture.ts';
import type { MachineView } from '../flow/view.ts';
import { newsOf } from './events.ts';
import { statusOf } from './status.ts';

/** What is told of a Machine that leaves, each event as `type reason: note`. */
function told(facts: Partial<MachineView>): string[] {
  const seen = view({ node: cordoned, ...facts });
  const decision = plan(seen);
  const news = newsOf(seen, decision, statusOf(seen, decision, at(60)));
  return news.map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
}

const leavingSince = (status: object) =>
  leaver({ status: { ...inPhase('Terminating').status, ...status } as MachineView['machine']['status'] });
const refusal = 'PodDisruptionBudget "a" allows no disruption now: healthy pods 1, needed 1';
const asked = pod('a', { answer: { result: 'Refused', reason: refusal }, retryAt: NOW + 9_000 });
const ended = { ...drainFrom(60, { endedAt: at(60) }).deletion, detachDeadline: at(180) };
const attached = [{ name: 'va', leaving: true, used: false }];

test.each<[string, Partial<MachineView>, string[]]>([
  [
    'a budget keeps a pod',
    { machine: leavingSince(drainFrom(60)), drain: busy({ pods: [asked] }) },
    [`Normal EvictionBlocked: shop/a: ${refusal}`],
  ],
  [
    'volumes of a pod are on their way',
    { machine: leavingSince(drainFrom(60)), drain: drain({ handover: moving() }) },
    ['Normal WaitingForVolumes: volumes of shop/db are still attached'],
  ],
  [
    'volumes are detached after the drain',
    { machine: leavingSince({ deletion: ended }), drain: drain({ attachments: attached }) },
    ['Normal VolumesDetaching: va'],
  ],
  [
    'the VM is deleted',
    { machine: leavingSince(drainFrom(60, { endedAt: at(60) })), drain: drain() },
    ['Normal DeleteVM: The driver is asked to delete the VM and all that it brought.'],
  ],
])('an event tells that %s', (_what, facts, events) => expect(told(facts)).toEqual(events));

test('that the same budget still keeps a pod is told once', () => {
  const currentStep = { name: 'Drained', reason: 'EvictionBlocked' };
  const machine = leavingSince({ ...drainFrom(60), currentStep });
  expect(told({ ...begun, machine, drain: busy({ pods: [asked] }) })).toEqual([]);
});
