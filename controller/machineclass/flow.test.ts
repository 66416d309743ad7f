import { describe, expect, test } from 'bun:test';
import { ANNOTATION_CLASS, FINALIZER, SECRET_FINALIZER } from '../../schemas/keys.ts';
import { at, BORN, machine, machineClass } from '../../test/fixtures/objects.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import { decide, reasonOf, type Steps } from '../flow/flow.ts';
import { classRecordOf, recordedSecrets, secretKeysOf } from '../model/class.ts';
import type { Secret } from '../runtime/k8s/core.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { observeClass, observeSecret } from './controller.ts';
import { classFlow, secretFlow } from './flow.ts';

const held = { finalizers: [FINALIZER] };
const leaving = { ...held, deletionTimestamp: at(1) };
const stands = { users: [], served: true };

function decided<V>(flow: Steps<V, unknown>, view: V): string {
  const decision = decide(flow, view);
  const message = 'message' in decision.outcome ? `: ${decision.outcome.message}` : '';
  return `${decision.step} ${reasonOf(decision)}${message}`;
}

test.each([
  ['that nobody uses is left as it is', {}, stands, 'Reconciled Reconciled'],
  ['is held from its first machine on', {}, { ...stands, users: ['m'] }, 'FinalizerAdded AddFinalizer'],
  ['that is held stays so', held, { ...stands, users: ['m'] }, 'Reconciled Reconciled'],
  ['is let go after its last machine, deleted or not', held, stands, 'FinalizerRemoved RemoveFinalizer'],
  [
    'that is deleted waits for its machines',
    leaving,
    { ...stands, users: ['a', 'b', 'c', 'd', 'e'] },
    'NotInUse ClassInUse: the class goes when its last machine is gone: 5 machines (a, b, c and 2 more)',
  ],
  ['that is deleted goes after its last machine', leaving, stands, 'FinalizerRemoved RemoveFinalizer'],
  [
    'that is deleted is not held anew',
    { deletionTimestamp: at(1) },
    { ...stands, users: ['m'] },
    'NotInUse ClassInUse: the class goes when its last machine is gone: 1 machine (m)',
  ],
  ['of another provider is never held', {}, { users: ['m'], served: false }, 'DriverFound NoDriverForProvider'],
  ['of another provider is never let go', held, { users: [], served: false }, 'DriverFound NoDriverForProvider'],
])('a class %s (hack/spec/mcm.md 2.1, 6.10)', (_what, metadata, counted, answer) => {
  expect(decided(classFlow, { object: machineClass({ metadata }), ...counted })).toBe(answer);
});

const secret = (metadata: Partial<Secret['metadata']> = {}): Secret => ({
  metadata: { namespace: 'herd', name: 's', ...metadata },
});
const heldSecret = { finalizers: [SECRET_FINALIZER] };
const unshared = { users: [], shared: false };

test.each([
  ['is held while machines need it', {}, { ...unshared, users: ['herd/m'] }, 'FinalizerAdded AddFinalizer'],
  ['that is held stays so', heldSecret, { ...unshared, users: ['herd/m'] }, 'Reconciled Reconciled'],
  ['that no machine needs is let go', heldSecret, unshared, 'FinalizerRemoved RemoveFinalizer'],
  [
    'with the finalizer of classes is not ours to let go',
    { finalizers: [FINALIZER] },
    unshared,
    'Reconciled Reconciled',
  ],
  [
    'that is deleted waits for machines',
    { ...heldSecret, deletionTimestamp: at(1) },
    { ...unshared, users: ['herd/m'] },
    'NotInUse SecretInUse: the Secret goes when the last machine that needs it is gone: 1 machine (herd/m)',
  ],
  [
    'that a class of another provider names is left to it',
    heldSecret,
    { users: [], shared: true },
    'FinalizerRemoved SecretShared',
  ],
  [
    'that a class of another provider names is held for ours',
    {},
    { users: ['herd/m'], shared: true },
    'FinalizerAdded AddFinalizer',
  ],
])('a Secret %s (hack/spec/mcm.md 2.1, 6.10)', (_what, metadata, counted, answer) => {
  expect(decided(secretFlow, { object: secret(metadata), ...counted })).toBe(answer);
});

/** What is counted among these objects. */
function among(machines: ReturnType<typeof machine>[], classes: ReturnType<typeof machineClass>[]) {
  const byClass = (one: ReturnType<typeof machine>) => [`herd/${one.spec?.class?.name ?? ''}`];
  const sources = {
    machines: new Cache<ReturnType<typeof machine>>({ indexes: { class: byClass, secret: recordedSecrets } }),
    classes: new Cache<ReturnType<typeof machineClass>>({ indexes: { secret: secretKeysOf } }),
    secrets: new Cache<Secret>(),
    drivers: new Map<string, Driver>([['virtual', {} as Driver]]),
  };
  sources.machines.reset(machines, '1');
  sources.classes.reset(classes, '1');
  sources.secrets.reset([secret()], '1');
  return sources;
}

const naming = machineClass({ secretRef: { name: 's' } });
const foreign = machineClass({ metadata: { name: 'aws', uid: 'aws' }, provider: 'AWS', secretRef: { name: 's' } });
const of = (name: string, className: string, record = '') =>
  machine({
    metadata: { name, uid: name, annotations: { [ANNOTATION_CLASS]: record } },
    spec: { class: { name: className } },
  });

test('the users of a class are the machines that name it, leaving ones too, but for those with an inline spec', () => {
  const inline = machine({ metadata: { name: 'd', uid: 'd' }, spec: { provider: 'virtual', providerSpec: {} } });
  const machines = [of('b', 'small'), of('a', 'small'), of('c', 'aws'), inline];
  expect(observeClass(among(machines, [naming]), 'herd/small')?.users).toEqual(['a', 'b']);
  expect(observeClass(among(machines, []), 'herd/small')).toBeUndefined();
});

test('a machine that only a finalizer of somebody else keeps needs neither class nor Secret (hack/decisions/0051 U38)', () => {
  const metadata = {
    name: 'a',
    uid: 'a',
    deletionTimestamp: at(1),
    annotations: { [ANNOTATION_CLASS]: classRecordOf(naming) },
  };
  const [kept, leaving] = [['example.com/audit'], ['example.com/audit', FINALIZER]].map((finalizers) =>
    machine({ metadata: { ...metadata, finalizers }, spec: { class: { name: 'small' } } }),
  );
  const usersAmong = (one: typeof kept) => {
    const sources = among(one ? [one] : [], [naming]);
    return [observeClass(sources, 'herd/small')?.users, observeSecret(sources, 'herd/s')?.users];
  };
  expect(usersAmong(kept)).toEqual([[], []]);
  expect(usersAmong(leaving)).toEqual([['a'], ['herd/a']]);
});

test('a Secret of another namespace has no users, whatever class or record names it (hack/decisions/0028 W3)', () => {
  const naming = machineClass({ metadata: { namespace: 'thief' }, secretRef: { name: 's', namespace: 'herd' } });
  const thief = of('a', 'small', classRecordOf(naming));
  const sources = among([{ ...thief, metadata: { ...thief.metadata, namespace: 'thief' } }], [naming]);
  expect(observeSecret(sources, 'herd/s')?.users).toEqual([]);
});

test('the users of a Secret are the machines of classes that name it, and those that remember it', () => {
  const machines = [
    of('a', 'small', classRecordOf(naming)),
    of('b', 'gone', classRecordOf(naming)),
    of('c', 'aws'),
    of('d', 'x'),
  ];
  expect(observeSecret(among(machines, [naming, foreign]), 'herd/s')).toMatchObject({
    users: ['herd/a', 'herd/b'],
    shared: true,
  });
  expect(observeSecret(among([of('c', 'other')], [naming]), 'herd/s')).toMatchObject({ users: [], shared: false });
});

// hack/decisions/0051 L81
describe('while a VM may come of a machine that has gone', () => {
  const expected = { users: [], vmUntil: BORN + 600_000 };
  const says = (what: string) =>
    `NoVMExpected VMExpected: until ${at(600)} a VM may appear of a machine that has gone: ${what} goes after --orphan-grace-period more, once a list of VMs shows none`;

  test.each([
    ['is held', {}, 'FinalizerAdded AddFinalizer'],
    ['that is held stays so', held, 'Reconciled Reconciled'],
    ['that is deleted waits', leaving, says('the class')],
  ])('a class %s', (_what, metadata, answer) => {
    const view = { object: machineClass({ metadata }), served: true, ...expected };
    expect(decided(classFlow, view)).toBe(answer);
  });

  test.each([
    ['is held', {}, 'FinalizerAdded AddFinalizer'],
    ['that is held stays so', heldSecret, 'Reconciled Reconciled'],
    ['that is deleted waits', { ...heldSecret, deletionTimestamp: at(1) }, says('the Secret')],
  ])('the Secret of its class %s', (_what, metadata, answer) => {
    expect(decided(secretFlow, { object: secret(metadata), shared: false, ...expected })).toBe(answer);
  });

  test('class and Secret are told so by the note on the class', () => {
    const noted = machineClass({ status: { vmExpectedUntil: at(600) }, secretRef: { name: 's' } });
    const sources = among([], [noted]);
    expect(observeClass(sources, 'herd/small')).toMatchObject({ vmUntil: BORN + 600_000 });
    expect(observeSecret(sources, 'herd/s')).toMatchObject({ vmUntil: BORN + 600_000 });
    expect(observeClass(among([], [naming]), 'herd/small')).not.toHaveProperty('vmUntil');
  });
});
