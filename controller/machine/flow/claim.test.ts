import { describe, expect, test } from 'bun:test';
import { ANNOTATION_CONFIRMED, ANNOTATION_TRIGGER_DELETION } from '../../../schemas/keys.ts';
import { at, machine, node } from '../../../test/fixtures/objects.ts';
import { drain } from '../../drain/flow/view.fixture.ts';
import { reasonOf } from '../../flow/flow.ts';
import { newsOf } from '../status/events.ts';
import { statusOf } from '../status/status.ts';
import { plan } from './flow.ts';
import { idle, readyNode, recorded, view, vm } from './view.fixture.ts';
import type { MachineView } from './view.ts';

/** hack/decisions/0028 W4: nothing is done to VM or Node before the driver has confirmed whose they are. */

const running = machine({ ...recorded, status: { currentStatus: { phase: 'Running', lastUpdateTime: at(0) } } });
const leaver = machine({ ...recorded, metadata: { ...recorded.metadata, deletionTimestamp: at(30) } });
const asked = { ...idle, askedAt: Date.parse(at(55)) };
const theirs = {
  ...readyNode,
  ours: false,
  object: node({ metadata: { annotations: { [ANNOTATION_TRIGGER_DELETION]: 'true' } } }),
};
const others = { at: 'others', whose: 'Machine victim/v (UID 1, installation here)' } as const;
const moved = { ...others, installation: { its: 'before', ours: 'here' } } as const;
const heir = { at: 'heir', of: { installation: 'here', namespace: 'herd', name: 'm', uid: 'before' } } as const;
const failed = {
  ...idle,
  failure: { method: 'getMachineStatus', code: 'Unavailable', message: 'no', retryAt: Infinity, permanent: false },
} as const;
const foreign = { machine: leaver, claim: { at: 'foreign' }, node: theirs } as const;
const forced = {
  ...foreign,
  machine: machine({ ...leaver, metadata: { ...leaver.metadata, labels: { 'force-deletion': 'True' } } }),
};
const retained = machine({ ...leaver, spec: { ...leaver.spec, deletionPolicy: 'Retain' } });
/** The driver denies the VM, and nobody has told yet whose it is (hack/decisions/0051 L68, L89). */
const deniedNow = {
  vm: { at: 'absent', since: Date.parse(at(55)) },
  claim: { at: 'unknown' },
  drain: drain(),
} as const;
const decided = (facts: Partial<MachineView>) => {
  const decision = plan(view(facts));
  return `${decision.step} ${reasonOf(decision)}`;
};

describe('a living Machine', () => {
  test.each<[string, Partial<MachineView>, string]>([
    [
      'whose VM is another’s goes no further',
      { machine: running, vm, claim: others, node: theirs, calls: asked },
      'VMClaimed VMClaimedByAnother',
    ],
    [
      'claims the VM of its predecessor anew',
      { machine: running, vm, claim: heir, node: theirs, calls: asked },
      'VMClaimed ClaimVM',
    ],
    [
      'is judged by its Node while the driver is silent, and touches it not',
      { machine: running, claim: { at: 'unknown' }, node: theirs, calls: failed },
      'Reconciled Reconciled',
    ],
    [
      'notes that its VM was confirmed',
      {
        machine: machine({
          ...recorded,
          metadata: { ...recorded.metadata, annotations: { [ANNOTATION_CONFIRMED]: `before ${at(1)}` } },
        }),
        vm,
        node: readyNode,
        calls: asked,
      },
      'VMClaimed RecordVMClaim',
    ],
  ])('%s', (_what, facts, expected) => expect(decided(facts)).toBe(expected));

  test('keeps its phase, and says whose its VM is', () => {
    const seen = view({ machine: running, vm, claim: others, node: theirs, calls: asked });
    const status = statusOf(seen, plan(seen), at(60));
    expect([status?.currentStatus?.phase, status?.errorReason]).toEqual(['Running', 'VMClaimedByAnother']);
    expect(status?.errorMessage).toContain(
      'VM virtual:///uid-m is that of Machine victim/v (UID 1, installation here)',
    );
  });

  test('keeps the words of the id that is on record (hack/decisions/0028 T6)', () => {
    const one = machine({ spec: { providerID: 'virtual:///zone/uid-m' } });
    const { outcome } = plan(view({ machine: one, vm, calls: asked }));
    expect(outcome).toMatchObject({
      action: {
        do: 'recordVm',
        providerID: 'virtual:///zone/uid-m',
        confirmed: { [ANNOTATION_CONFIRMED]: `uid-m ${at(60)} virtual:///zone/uid-m` },
      },
    });
  });

  test('notes with the VM that it is confirmed, in one write', () => {
    const { outcome } = plan(view({ vm }));
    expect(outcome).toMatchObject({
      action: { do: 'recordVm', confirmed: { [ANNOTATION_CONFIRMED]: `uid-m ${at(60)} virtual:///uid-m` } },
    });
  });
});

describe('a Machine that leaves', () => {
  test.each<[string, Partial<MachineView>, string]>([
    [
      'asks the driver before anything else',
      { claim: { at: 'unknown' }, node: theirs, drain: drain() },
      'VMClaimed GetVMStatus',
    ],
    [
      'waits while the driver gives no answer',
      { claim: { at: 'unknown' }, node: theirs, drain: drain(), calls: failed },
      'VMClaimed Unavailable',
    ],
    [
      'goes without a VM that is another’s, and without its Node',
      { vm, claim: others, node: theirs, drain: drain(), calls: asked },
      'FinalizerRemoved RemoveFinalizer',
    ],
    [
      'waits where only the installation of the mark differs: the VM would leak (hack/decisions/0028)',
      { vm, claim: moved, node: theirs, drain: drain(), calls: asked },
      'VMClaimed VMOfAnotherInstallation',
    ],
    [
      'waits no more once that VM is gone',
      { vm: { at: 'absent', since: 0 }, claim: moved, node: theirs, drain: drain(), calls: asked },
      'FinalizerRemoved RemoveFinalizer',
    ],
    [
      'waits no more once the driver has answered its deletion',
      { vm, claim: moved, node: theirs, drain: drain(), calls: { ...asked, deletion: { at: 0, heard: true } } },
      'FinalizerRemoved RemoveFinalizer',
    ],
    [
      'waits while the driver lets go of what it was told to give up',
      {
        claim: { at: 'unknown' },
        node: theirs,
        drain: drain(),
        calls: { ...asked, inFlight: { method: 'createMachine', since: 0, cancelled: true } },
      },
      'VMClaimed DriverCallCancelling',
    ],
    [
      'goes without that VM by force',
      {
        machine: machine({
          ...leaver,
          metadata: { ...leaver.metadata, labels: { node: 'm', 'force-deletion': 'True' } },
        }),
        vm,
        claim: moved,
        node: theirs,
        drain: drain(),
        calls: asked,
      },
      'FinalizerRemoved RemoveFinalizer',
    ],
    [
      'waits where its driver has no VM of such an id, and asks nobody (hack/decisions/0028 M17)',
      { ...foreign, drain: drain() },
      'VMClaimed ProviderIDInvalid',
    ],
    [
      'goes without such a VM that is to stay, and leaves its Node (0028 O18)',
      { ...foreign, machine: retained, drain: drain() },
      'FinalizerRemoved RemoveFinalizer',
    ],
    [
      'goes by force without a VM that its driver cannot have',
      { ...forced, drain: drain() },
      'FinalizerRemoved RemoveFinalizer',
    ],
    [
      'claims the VM of its predecessor before it is deleted',
      { vm, claim: heir, node: theirs, calls: asked },
      'VMClaimed ClaimVM',
    ],
    [
      'claims nothing that the driver denies by now (0051 L52)',
      { vm: { at: 'absent', since: Date.parse(at(55)) }, claim: heir, node: theirs, calls: asked },
      'VMClaimed NotFound',
    ],
    [
      'lets the driver tidy up when there is no VM, and leaves the Node',
      { vm: { at: 'absent', since: 0 }, claim: { at: 'unknown' }, node: theirs, drain: drain(), calls: asked },
      'VMDeleted DeleteVM',
    ],
    [
      'is not drained while a VM is denied for the first time whose Node is there (0051 L68)',
      { ...deniedNow, node: theirs },
      'VMClaimed NotFound',
    ],
    [
      'gives a creation up before that, which would go on meanwhile',
      { ...deniedNow, node: theirs, calls: { ...asked, inFlight: { method: 'createMachine', since: 0 } } },
      'VMClaimed CancelDriverCall',
    ],
    [
      'waits for who is asked already',
      { ...deniedNow, node: theirs, calls: { ...asked, inFlight: { method: 'getMachineStatus', since: 0 } } },
      'VMClaimed DriverCallInProgress',
    ],
    [
      'has nothing to wait for where no Node could be drained',
      { ...deniedNow, node: { at: 'absent' } },
      'VMDeleted DeleteVM',
    ],
    [
      'nor once the VM is being deleted',
      { ...deniedNow, node: theirs, calls: { ...asked, inFlight: { method: 'deleteMachine', since: 0 } } },
      'VMDeleted DriverCallInProgress',
    ],
    [
      'deletes no VM without a mark whose Node cannot be drained, as it is recorded as another’s',
      { vm, claim: { at: 'own', marked: false }, node: theirs, drain: drain(), calls: asked },
      'VMDeleted NodeOwnedByAnother',
    ],
    [
      'deletes that by force',
      {
        machine: machine({
          ...recorded,
          metadata: { ...leaver.metadata, labels: { node: 'm', 'force-deletion': 'true' } },
        }),
        vm,
        claim: { at: 'own', marked: false },
        node: theirs,
        calls: asked,
      },
      'VMDeleted DeleteVM',
    ],
    [
      'gives up a creation in progress first',
      { claim: { at: 'unknown' }, calls: { ...idle, inFlight: { method: 'createMachine', since: 0 } } },
      'VMClaimed CancelDriverCall',
    ],
  ])('%s', (_what, facts, expected) => expect(decided({ machine: leaver, ...facts })).toBe(expected));

  test.each([
    ['herd', 'Machine herd/other:'],
    ['victim', 'a Machine of another namespace:'],
  ])('names the one who is recorded in namespace %s or not (hack/decisions/0028 T14)', (namespace, whose) => {
    const annotations = {
      'machine.sapcloud.io/machine': 'other',
      'machine.sapcloud.io/cluster-namespace': namespace,
    };
    const recordedAs = { ...readyNode, ours: false, object: node({ metadata: { annotations } }) };
    const { outcome } = plan(view({ machine: leaver, vm, node: recordedAs, drain: drain(), calls: asked }));
    expect(outcome).toMatchObject({ message: expect.stringContaining(`recorded as that of ${whose}`) });
  });

  test('names both ids, and what to set', () => {
    const { outcome } = plan(view({ machine: leaver, vm, claim: moved, node: theirs, calls: asked }));
    expect(outcome).toMatchObject({
      message: expect.stringMatching(
        /installation before, and this is here: .* set --installation-id=before, or, .* --former-installation-ids=herd=before;/,
      ),
    });
  });

  test.each([
    ['stays, and is not marked as left on purpose', retained],
    ['went by force without a VM', forced.machine],
  ])('says of a VM that its driver cannot have: %s', (says, machine) => {
    const seen = view({ ...foreign, machine });
    expect(newsOf(seen, plan(seen), undefined)).toMatchObject([{ note: expect.stringContaining(says) }]);
  });

  test('says that it leaves a VM behind that is another’s', () => {
    const seen = view({ machine: leaver, vm, claim: others, node: theirs, calls: asked });
    expect(newsOf(seen, plan(seen), undefined)).toMatchObject([
      { note: expect.stringContaining('VM virtual:///uid-m is that of Machine victim/v') },
    ]);
  });
});
