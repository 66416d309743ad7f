import { describe, expect, test } from 'bun:test';
import { ANNOTATION_CLASS } from '../../schemas/keys.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import { machine, machineClass } from '../../test/fixtures/objects.ts';
import { classRecordOf, recordDue, recordedClass, recordedSecrets } from './class.ts';

const holding = (record: string, spec = {}) =>
  machine({ metadata: { annotations: { [ANNOTATION_CLASS]: record } }, spec });
const whole = machineClass({
  providerSpec: { disk: 1 },
  secretRef: { name: 's' },
  credentialsSecretRef: { name: 'c', namespace: 'other' },
  nodeTemplate: { zone: 'a' },
});
const legacy = machineClass({ ...whole, credentialsSecretRef: { name: 'c', namespace: 'herd' } });
const withVm = { providerID: 'virtual:///1' };

test('what is remembered is the class as drivers take it, and no more', () => {
  const { provider, providerSpec, secretRef, credentialsSecretRef, nodeTemplate } = whole;
  expect(recordedClass(holding(classRecordOf(whole)))).toEqual({
    metadata: { name: 'small', namespace: 'herd' },
    provider,
    providerSpec,
    secretRef,
    credentialsSecretRef,
    nodeTemplate,
  } as MachineClass);
});

test.each([
  ['both Secrets, in the order in which they are merged', classRecordOf(legacy), ['herd/s', 'herd/c']],
  ['no Secret of another namespace (hack/decisions/0028 W3)', classRecordOf(whole), ['herd/s']],
  ['none', classRecordOf(machineClass()), []],
  ['none of what cannot be read', '{"secretRef":', []],
])('a record names %s', (_what, record, keys) => {
  expect(recordedSecrets(holding(record))).toEqual(keys);
});

// hack/decisions/0028 T85
test('a record with more levels than any object of the API is none', () => {
  const nested = (levels: number) =>
    `{"provider":"virtual","providerSpec":${'{"a":'.repeat(levels)}1${'}'.repeat(levels + 1)}`;
  expect(recordedClass(holding(nested(9_999)))?.provider).toBe('virtual');
  expect(recordedClass(holding(nested(10_000)))).toBeUndefined();
  expect(recordDue(holding(nested(40_000), withVm), whole)).toBe(classRecordOf(whole));
});

test.each(['', '{', 'null', '[]', '{"provider":1,"providerSpec":{}}', '{"provider":"virtual"}'])(
  'the record %p is none',
  (record) => {
    expect(recordedClass(holding(record))).toBeUndefined();
  },
);

describe('a record that is due', () => {
  const changed = machineClass({ providerSpec: { disk: 2 }, secretRef: { name: 'new' } });
  const following = classRecordOf({ ...changed, providerSpec: { disk: 1 } });
  test.each([
    ['is the class', holding(''), whole, classRecordOf(whole)],
    ['is none when it stands there', holding(classRecordOf(whole)), whole, undefined],
    ['follows the class while there is no VM', holding(classRecordOf(whole)), changed, classRecordOf(changed)],
    [
      'keeps what the VM was made from, and follows the references',
      holding(classRecordOf(whole), withVm),
      changed,
      following,
    ],
    ['is none when only what the VM was made from differs', holding(following, withVm), changed, undefined],
    ['is the class for a VM that has none, taken over from MCM', holding('', withVm), whole, classRecordOf(whole)],
    ['is none for an inline spec', holding('', { provider: 'virtual', providerSpec: {} }), whole, undefined],
  ])('%s (hack/decisions/0000 3, missing MachineClass)', (_what, one, found, due) => {
    expect(recordDue(one, found)).toBe(due as string);
  });
});
