import { expect, test } from 'bun:test';
import { at, BORN, machine } from '../../../test/fixtures/objects.ts';
import { drain } from '../../drain/flow/view.fixture.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import { FakeLog } from '../../runtime/observability/log.fake.ts';
import { seededRandom } from '../../runtime/random.ts';
import { lineUp } from '../controller.ts';
import { cordoned, drainFrom } from '../flow/drain.fixture.ts';
import { plan } from '../flow/flow.ts';
import { recorded, view, vm } from '../flow/view.fixture.ts';
import type { MachineView } from '../flow/view.ts';
import type { Call } from './failures.ts';
import { InFlightCalls } from './inflight.ts';
import { slotKeyOf } from './limiter.ts';

// hack/decisions/0051 L77

/** A herd that leaves at once, more machines than may be deleted at a time, in a cloud that takes a while for each. */
interface Herd {
  count: number;
  slots: number;
  deletionMs: number;
  /** What is known of each machine. */
  facts: Partial<MachineView>;
}

const leaver = machine({ ...recorded, metadata: { ...recorded.metadata, deletionTimestamp: at(30) } });
const drained = {
  machine: machine({ ...leaver, status: drainFrom(40, { endedAt: at(50) }) }),
  node: cordoned,
  drain: drain({ attachments: [] }),
};
const young = { machine: leaver, limits: { ...view().limits, vmYouth: 600_000 } };

const UNBOUND = { createMachine: 1, updateMachine: 1, driverCalls: 1_000, isShared: false, exhaustedRetryMs: 1 };
const updates = { awaitSlot: () => {}, leaveSlot: () => {} };

/** A machine of the herd, and what its calls are called by. */
function memberOf({ facts }: Herd, name: string) {
  const { metadata, ...rest } = facts.machine ?? leaver;
  const one = machine({ ...rest, metadata: { ...metadata, name } });
  const seen = view({ ...facts, machine: one });
  return { seen, about: { uid: name, key: `herd/${name}`, classKey: slotKeyOf(one, seen.class), mark: '' } };
}

/** Deletes the herd; answers how many deletions and questions that took. */
async function deleted(herd: Herd) {
  const clock = new FakeClock(BORN + 60_000);
  const limits = { ...UNBOUND, deleteMachine: herd.slots };
  const calls = new InFlightCalls({ clock, random: seededRandom(1), log: new FakeLog(), limits, enqueue: () => {} });
  const sent = { deleteMachine: 0, getMachineStatus: 0 };
  const gone = new Set<string>();
  const runs = (name: string): Record<keyof typeof sent, Call['run']> => ({
    getMachineStatus: () => clock.sleep(1_500).then(() => vm),
    deleteMachine: () => clock.sleep(herd.deletionMs).then(() => gone.add(name) && { gone: true }),
  });
  const members = Array.from({ length: herd.count }, (_, index) => memberOf(herd, `m${index}`));
  // The driver told of each of them a moment ago.
  for (const { about } of members) calls.start({ ...about, method: 'getMachineStatus', run: async () => vm });
  await clock.advance(0);
  for (; gone.size < herd.count; await clock.advance(1_000))
    for (const { seen, about } of members.filter(({ about: { uid } }) => !gone.has(uid))) {
      const now = { ...seen, now: clock.now(), vm: calls.vm(about.uid), calls: calls.fact(about) };
      const decision = plan(now);
      const { outcome } = decision;
      const method = outcome.kind === 'act' && outcome.action.do === 'call' ? outcome.action.method : undefined;
      if (method !== 'deleteMachine' && method !== 'getMachineStatus') lineUp({ calls, updates }, now, decision);
      else {
        sent[method] += 1;
        calls.start({ ...about, method, run: runs(about.uid)[method] });
      }
    }
  return sent;
}

test.each<[string, Herd]>([
  ['that were drained', { count: 30, slots: 3, deletionMs: 90_000, facts: drained }],
  ['whose Nodes never came', { count: 60, slots: 20, deletionMs: 20_000, facts: young }],
])(
  'of machines %s, and wait for others to be deleted, the driver is asked once before each goes',
  async (_what, herd) => {
    const { deleteMachine, getMachineStatus } = await deleted(herd);
    expect(deleteMachine).toBe(herd.count);
    expect(getMachineStatus).toBeWithin(herd.count - 2 * herd.slots, herd.count + 1);
  },
);
