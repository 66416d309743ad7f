import { describe, expect, test } from 'bun:test';
import { ANNOTATION_CLASS, FINALIZER, SECRET_FINALIZER } from '../../../schemas/keys.ts';
import type { MachineClass } from '../../../schemas/machineclass.ts';
import { at, machine, machineClass } from '../../../test/fixtures/objects.ts';
import { reasonOf } from '../../flow/flow.ts';
import { classRecordOf } from '../../model/class.ts';
import type { KubeObject } from '../../runtime/k8s/object.ts';
import { complaints } from '../status/events.ts';
import { statusOf } from '../status/status.ts';
import { classFact } from './classresolution.ts';
import { plan } from './flow.ts';
import { idle, readyNode, recorded, view, vm } from './view.fixture.ts';
import type { ClassFact, MachineView } from './view.ts';

const NOW = Date.parse(at(60));
const named = machineClass({ metadata: { finalizers: [FINALIZER] }, secretRef: { name: 's' } });
const secret = (...finalizers: string[]): KubeObject => ({ metadata: { namespace: 'herd', name: 's', finalizers } });
const remembering = (found: MachineClass, spec = {}) =>
  machine({ metadata: { annotations: { [ANNOTATION_CLASS]: classRecordOf(found) } }, spec });
const withVm = { providerID: vm.providerID };

interface Beside {
  /** Null when it is gone. */
  found?: MachineClass | null;
  /** Finalizers of the Secret. */
  held?: string[];
}

/** The class of a Machine beside these objects. */
function factOf(one = remembering(named), { found = named, held = [SECRET_FINALIZER] }: Beside = {}) {
  const classes = { get: (key: string) => (key === 'herd/small' && found ? found : undefined) };
  const secrets = { get: (key: string) => (key === 'herd/s' ? secret(...held) : undefined) };
  return classFact({ classes, secrets, drivers: new Set(['virtual']) }, one);
}

describe('the class of a Machine', () => {
  const aws = machineClass({ provider: 'AWS' });
  const gone = { found: null };
  const { resourceVersion: _, ...bare } = named.metadata;
  test.each<[string, ClassFact, object]>([
    ['is held with its Secret', factOf(), { at: 'ours', class: named, unheld: undefined }],
    [
      'may not be held yet (hack/spec/mcm.md 6.3)',
      factOf(undefined, { found: { ...named, metadata: { ...bare, finalizers: [] } } }),
      { unheld: 'MachineClass "small"' },
    ],
    ['may have a Secret that is not held yet', factOf(undefined, { held: [] }), { unheld: 'Secret "herd/s"' }],
    ['may be gone, and fromRecord', factOf(undefined, gone), { at: 'ours', fromRecord: true }],
    ['may be gone, and be another driver’s', factOf(remembering(aws), gone), { at: 'foreign' }],
    [
      'may be gone, with a Secret that is gone as well',
      factOf(remembering(machineClass({ secretRef: { name: 'other' } })), gone),
      { at: 'secretMissing', secret: 'herd/other' },
    ],
    ['may be another one of its name', factOf(remembering(named, withVm), { found: aws }), { fromRecord: true }],
    ['that is another one counts while there is no VM', factOf(undefined, { found: aws }), { at: 'foreign' }],
    [
      'that is inline needs no hold',
      factOf(machine({ spec: { provider: 'virtual', providerSpec: {} } }), gone),
      { at: 'ours', fromRecord: undefined, unheld: undefined },
    ],
  ])('%s', (_what, fact, wanted) => {
    expect({ fromRecord: undefined, unheld: undefined, ...fact }).toMatchObject(wanted);
  });
});

const ours = { at: 'ours', class: machineClass() } as const;
const fromRecord = { ...ours, fromRecord: true } as const;
const unheld = { ...ours, unheld: 'Secret "herd/s"' } as const;
const missing = { at: 'missing', name: 'small' } as const;
const secretMissing = { at: 'secretMissing', secret: 'herd/s' } as const;
// hack/decisions/0051 L19
const secretForeign = { at: 'secretForeign', secret: 'victim/s' } as const;
const absent = { at: 'absent', since: NOW } as const;
const running = { ...recorded, status: { currentStatus: { phase: 'Running', lastUpdateTime: at(0) } } } as const;
const asked = { ...idle, askedAt: NOW - 5_000 };
const noRecord = { annotations: { [ANNOTATION_CLASS]: '' } };
const refused = new Map([['ClassRecorded', { message: 'too large', retryAt: Infinity }]]);
const forced = { 'force-deletion': 'True' };
const leaving = (changes: Parameters<typeof machine>[0] = {}) =>
  machine({ ...changes, metadata: { ...changes.metadata, deletionTimestamp: at(50) } });

describe('a Machine', () => {
  test.each<[string, Partial<MachineView>, string]>([
    [
      'writes its class down before anything is made of it',
      { machine: machine({ metadata: noRecord }) },
      'ClassRecorded RecordClass',
    ],
    [
      'whose record is refused makes nothing',
      { machine: machine({ metadata: noRecord }), refused },
      'ClassRecorded WriteRefused',
    ],
    [
      'with a VM goes on when its record is refused',
      {
        machine: machine({ ...running, metadata: { ...running.metadata, ...noRecord } }),
        refused,
        vm,
        node: readyNode,
        calls: asked,
      },
      'Reconciled Reconciled',
    ],
    ['is made from a class that is held', { vm: absent }, 'VMCreated CreateVM'],
    [
      'waits until its class is held (hack/spec/mcm.md 6.3)',
      { vm: absent, class: unheld },
      'VMCreated ClassFinalizerMissing',
    ],
    ['is looked for before its class is held', { class: unheld }, 'VMCreated GetVMStatus'],
    ['is not made from a class that is gone', { vm: absent, class: fromRecord }, 'VMCreated ClassNotFound'],
    ['is looked for although its class is gone', { class: fromRecord }, 'VMCreated GetVMStatus'],
    ['that is found is recorded although its class is gone', { vm, class: fromRecord }, 'VMCreated RecordVM'],
    ['of which nothing is fromRecord waits for its class', { class: missing }, 'ClassReady ClassNotFound'],
    [
      'that runs is judged without its class',
      { machine: machine(running), vm, class: fromRecord, node: { ...readyNode, ready: false }, calls: asked },
      'NodeHealthy NodeNotReady',
    ],
    [
      'that runs is judged without a Secret, and no driver is asked',
      { machine: machine(running), class: secretMissing, node: { ...readyNode, ready: false } },
      'NodeHealthy NodeNotReady',
    ],
    [
      'whose VM is not finished waits for its Secret',
      { machine: machine(recorded), vm: { ...vm, initialized: false }, class: secretMissing },
      'VMInitialized SecretNotFound',
    ],
    ['that leaves needs no class (13.5)', { machine: leaving(running), vm, class: fromRecord }, 'VMDeleted DeleteVM'],
    [
      'that leaves waits for its Secret',
      { machine: leaving(running), vm, class: secretMissing },
      'VMDeleted SecretNotFound',
    ],
    [
      'whose Secret is in another namespace makes nothing, and no driver is asked (hack/decisions/0028 W3)',
      { class: secretForeign },
      'ClassReady RefNotPermitted',
    ],
    [
      'that runs is judged although its Secret is in another namespace (hack/decisions/0028 W3)',
      { machine: machine(running), class: secretForeign, node: { ...readyNode, ready: false } },
      'NodeHealthy NodeNotReady',
    ],
    [
      'that leaves waits when its Secret is in another namespace (hack/decisions/0028 W3)',
      { machine: leaving(running), vm, class: secretForeign },
      'VMDeleted RefNotPermitted',
    ],
    [
      'that leaves goes when its Secret is in another namespace and it never began (hack/decisions/0028 W3)',
      { machine: leaving({ metadata: noRecord }), class: secretForeign },
      'FinalizerRemoved RemoveFinalizer',
    ],
    [
      'that leaves without its Secret goes when it never began (hack/decisions/0051 L7)',
      { machine: leaving({ metadata: noRecord }), class: secretMissing },
      'FinalizerRemoved RemoveFinalizer',
    ],
    [
      'that leaves by force without its Secret goes when it never began (hack/decisions/0051 L7)',
      { machine: leaving({ metadata: { ...noRecord, labels: forced } }), class: secretMissing },
      'FinalizerRemoved RemoveFinalizer',
    ],
    [
      'that leaves without its Secret goes when this process knows that no call has begun (hack/decisions/0051 L7)',
      { machine: leaving(), class: secretMissing, unasked: true, calls: { ...idle, askedAt: NOW - 3_600_000 } },
      'FinalizerRemoved RemoveFinalizer',
    ],
    [
      'that leaves without its Secret waits when a call may have begun (hack/decisions/0051 L7)',
      { machine: leaving(), class: secretMissing },
      'VMDeleted SecretNotFound',
    ],
    [
      'that leaves without its Secret, and was begun by MCM, waits, by force, too (hack/decisions/0051 L7)',
      {
        machine: leaving({ metadata: { ...noRecord, labels: forced }, status: { lastOperation: { type: 'Create' } } }),
        class: secretMissing,
      },
      'VMDeleted SecretNotFound',
    ],
    [
      'that leaves without its Secret, and failed under MCM, waits (hack/decisions/0051 L7)',
      {
        machine: leaving({ metadata: noRecord, status: { currentStatus: { phase: 'CrashLoopBackOff' } } }),
        class: secretMissing,
      },
      'VMDeleted SecretNotFound',
    ],
    [
      'that leaves without its Secret, and whose VM was seen, waits, although neither says so (hack/decisions/0051 L7)',
      { machine: leaving({ metadata: noRecord }), class: secretMissing, unasked: true, vm },
      'VMDeleted SecretNotFound',
    ],
    [
      'that leaves without its Secret, and has a VM, waits, although nobody asked for it (hack/decisions/0051 L7)',
      { machine: leaving(running), class: secretMissing, unasked: true, vm },
      'VMDeleted SecretNotFound',
    ],
    [
      'that leaves and never had a class goes',
      { machine: leaving({ metadata: noRecord }), class: missing },
      'FinalizerRemoved RemoveFinalizer',
    ],
    [
      'that leaves, has a VM, and remembers nothing waits for its class',
      { machine: leaving({ ...running, metadata: { ...running.metadata, ...noRecord } }), class: missing },
      'VMDeleted ClassNotFound',
    ],
    [
      'that leaves, and was begun by MCM, waits for its class',
      {
        machine: leaving({ metadata: noRecord, status: { lastOperation: { type: 'Create', state: 'Failed' } } }),
        class: missing,
      },
      'VMDeleted ClassNotFound',
    ],
  ])('%s', (_what, facts, decided) => {
    const decision = plan(view(facts));
    expect(`${decision.step} ${reasonOf(decision)}`).toBe(decided);
  });

  test.each([
    [
      fromRecord,
      'ClassNotFound',
      'MachineClass "small" does not exist: the machine goes on with what it remembers of it',
    ],
    [secretMissing, 'SecretNotFound', 'Secret "herd/s" does not exist: the driver cannot be asked about the VM'],
    [
      secretForeign,
      'RefNotPermitted',
      'Secret "victim/s" is not read, for the machine is in another namespace (copy it to namespace "herd" and name it there): the driver cannot be asked about the VM',
    ],
  ] as const)('that runs on tells what is gone', (fact, reason, message) => {
    const seen = view({ machine: machine(running), vm, class: fact, node: readyNode, calls: asked });
    const conditions = statusOf(seen, plan(seen), at(60))?.conditions;
    const condition = conditions?.find(({ type }) => type === 'ClassReady');
    expect(condition).toMatchObject({ status: 'False', reason, message });
    expect(complaints(seen)).toEqual([{ type: 'Warning', reason, note: message }]);
  });
});
