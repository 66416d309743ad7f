import { describe, expect, test } from 'bun:test';
import { at, machine } from '../../../test/fixtures/objects.ts';
import { drain } from '../../drain/flow/view.fixture.ts';
import { reasonOf } from '../../flow/flow.ts';
import { cordoned, drainFrom } from './drain.fixture.ts';
import { plan } from './flow.ts';
import { idle, readyNode, recorded, view, vm } from './view.fixture.ts';
import type { MachineView } from './view.ts';

/** hack/decisions/0028 M6, O16: what the driver said long ago lets nothing be taken. */

const leaver = machine({ ...recorded, metadata: { ...recorded.metadata, deletionTimestamp: at(30) } });
const drained = machine({ ...leaver, status: drainFrom(40, { endedAt: at(50) }) });
const NOW = view().now;
const own = { at: 'own', marked: true } as const;
const failed = {
  ...idle,
  failure: { method: 'getMachineStatus', code: 'Unavailable', message: 'no', retryAt: Infinity, permanent: false },
} as const;
/** The last answer is too old to touch anything on its word. */
const askedLong = { askedAt: NOW - 600_001 };
const old = { ...idle, ...askedLong };
/** It is time to ask again. */
const due = { ...failed, failure: { ...failed.failure, retryAt: NOW } };
const silent = { vm, claim: own, node: readyNode, drain: drain() } as const;
const afterDrain = { ...silent, machine: drained, node: cordoned };
/** No Node of its VM was ever seen, and no cloud need tell of it yet (hack/decisions/0051 L89). */
const unseen = { node: { at: 'absent' }, limits: { ...view().limits, vmYouth: 600_000 } } as const;
const registered = machine({ ...drained, status: { ...drained.status, nodeRef: { name: 'm' } } });
/** Of which nothing tells that it ever had a VM. */
const bare = machine({ metadata: { deletionTimestamp: at(30) } });
/** The id could not be written. */
const unrecorded = {
  machine: machine({ metadata: { deletionTimestamp: at(30), annotations: { 'drover.dev/class': '{}' } } }),
  refused: new Map([['VMLocated', { message: 'no', retryAt: Infinity }]]),
};
const byForce = machine({
  ...leaver,
  metadata: { ...leaver.metadata, labels: { node: 'm', 'force-deletion': 'True' } },
});
const decided = (facts: Partial<MachineView>) => {
  const decision = plan(view(facts));
  return `${decision.step} ${reasonOf(decision)}`;
};

describe('a Machine that leaves', () => {
  test.each<[string, Partial<MachineView>, string]>([
    [
      'asks once more where it has not asked for long, as while it was paused: the VM may be another’s (0028 M6)',
      { vm, claim: own, node: readyNode, drain: drain(), calls: { ...idle, askedAt: NOW - 600_001 } },
      'VMClaimed GetVMStatus',
    ],
    [
      'takes an answer for good that is as young as those about living machines',
      { vm, claim: own, node: readyNode, drain: drain(), calls: { ...idle, askedAt: NOW - 599_999 } },
      'Drained CordonNode',
    ],
    [
      'waits for that answer, however long it takes (0028 O16)',
      { ...silent, calls: { ...old, inFlight: { method: 'getMachineStatus', since: NOW - 1_000 } } },
      'VMClaimed DriverCallInProgress',
    ],
    [
      'waits for it where as many are asked as may',
      { ...silent, calls: { ...old, full: ['getMachineStatus'] } },
      'VMClaimed WaitingForDriverSlot',
    ],
    [
      'waits to ask again where none came',
      { ...silent, vm: { at: 'unknown' }, calls: { ...failed, ...askedLong } },
      'VMClaimed Unavailable',
    ],
    ['then asks again', { ...silent, vm: { at: 'unknown' }, calls: { ...due, ...askedLong } }, 'VMClaimed GetVMStatus'],
    [
      'waits where nobody can be asked',
      { ...silent, calls: old, class: { at: 'missing', name: 'small' } },
      'VMClaimed ClassNotFound',
    ],
    [
      'gives up a call that was to make the VM ready, and asks',
      { ...silent, calls: { ...old, inFlight: { method: 'initializeMachine', since: 0 } } },
      'VMClaimed CancelDriverCall',
    ],
    ['asks before it goes by force', { ...silent, machine: byForce, calls: old }, 'VMClaimed GetVMStatus'],
    [
      'and waits for that, too',
      { ...silent, machine: byForce, calls: { ...old, inFlight: { method: 'getMachineStatus', since: NOW - 1_000 } } },
      'VMClaimed DriverCallInProgress',
    ],
    [
      'goes by force where no answer came',
      { ...silent, machine: byForce, vm: { at: 'unknown' }, calls: { ...due, ...askedLong } },
      'Drained CordonNode',
    ],
    [
      'goes by force where nobody can be asked, as far as it can',
      { ...silent, machine: byForce, calls: old, class: { at: 'missing', name: 'small' } },
      'Drained CordonNode',
    ],
    [
      'asks no more while its VM is being deleted',
      { ...silent, calls: { ...old, inFlight: { method: 'deleteMachine', since: NOW - 1_000 } } },
      'VMDeleted DriverCallInProgress',
    ],
    [
      'asks once more after its drain, before its VM is deleted (0051 L66)',
      { ...afterDrain, calls: { ...idle, askedAt: NOW - 60_001 } },
      'VMDeleted GetVMStatus',
    ],
    [
      'does so once there is a slot for that (0051 L77)',
      { ...afterDrain, calls: { ...idle, askedAt: NOW - 60_001, full: ['deleteMachine'] } },
      'VMDeleted WaitingForDriverSlot',
    ],
    [
      'waits for that answer, too',
      { ...afterDrain, calls: { ...old, inFlight: { method: 'getMachineStatus', since: NOW - 1_000 } } },
      'VMDeleted DriverCallInProgress',
    ],
    [
      'and goes on where none came',
      { ...afterDrain, vm: { at: 'unknown' }, calls: { ...failed, ...askedLong } },
      'VMDeleted DeleteVM',
    ],
    [
      'takes a word of the last minute for good',
      { ...afterDrain, calls: { ...idle, askedAt: NOW - 59_000 } },
      'VMDeleted DeleteVM',
    ],
    [
      'asks once more of a young VM of which no Node was seen, though ten seconds ago',
      { ...afterDrain, ...unseen, calls: { ...idle, askedAt: NOW - 10_001 } },
      'VMDeleted GetVMStatus',
    ],
    [
      'also where the driver alone has told of it, and nothing records it',
      { ...afterDrain, ...unseen, ...unrecorded, calls: { ...idle, known: true, askedAt: NOW - 10_001 } },
      'VMDeleted GetVMStatus',
    ],
    [
      'has the driver tidy up also where nothing was ever asked for, as far as is known',
      { ...silent, machine: bare, unasked: true, vm: { at: 'absent', since: NOW }, node: { at: 'absent' } },
      'VMDeleted DeleteVM',
    ],
    [
      'but not where its Node was seen',
      { ...afterDrain, ...unseen, machine: registered, calls: { ...idle, askedAt: NOW - 10_001 } },
      'VMDeleted DeleteVM',
    ],
    [
      'nor by force',
      {
        ...afterDrain,
        ...unseen,
        machine: machine({ ...drained, metadata: byForce.metadata }),
        calls: { ...idle, askedAt: NOW - 10_001 },
      },
      'VMDeleted DeleteVM',
    ],
    [
      'nor of one that is only taken to be there, as nobody can be asked',
      { ...afterDrain, ...unseen, vm: { ...vm, assumed: true }, calls: { ...idle, askedAt: NOW - 10_001 } },
      'VMDeleted DeleteVM',
    ],
    [
      'and takes its word for good once the VM is old',
      { ...afterDrain, ...unseen, limits: view().limits, calls: { ...idle, askedAt: NOW - 10_001 } },
      'VMDeleted DeleteVM',
    ],
    [
      'has nothing to fear where its Node is not Ready',
      { ...afterDrain, node: { ...cordoned, ready: false }, calls: { ...idle, askedAt: NOW - 60_001 } },
      'VMDeleted DeleteVM',
    ],
  ])('%s', (_what, facts, expected) => expect(decided({ machine: leaver, ...facts })).toBe(expected));
});
