import { describe, expect, test } from 'bun:test';
import { ANNOTATION_CONFIRMED, FINALIZER } from '../../../../schemas/keys.ts';
import { machine, machineClass } from '../../../../test/fixtures/objects.ts';
import type { VmOwner } from '../../../drivers/sdk/driver.ts';
import { claimsOf } from './plan.ts';

/** hack/decisions/0028 T12: a Machine spares no VM of another namespace from the sweep by naming it, or by having its name. */

type Machine = ReturnType<typeof machine>;

const ID = 'gce:///p/z/lost';
const MARK: VmOwner = { installation: 'here', namespace: 'herd', name: 'm', uid: 'u' };

/** Which of the three claims a Machine beside a VM of a class in `herd` makes it show. */
const claims = (one: Machine, owner?: VmOwner, { creating = '', retained = '' } = {}): string => {
  const vm = { providerID: ID, machineName: 'm', ...(owner && { owner }) };
  const {
    named,
    pending,
    retained: left,
  } = claimsOf([one], machineClass(), {
    isCreating: (uid) => uid === creating,
    wasRetained: (namespace, id) => `${namespace} ${id}` === retained,
  });
  return [named(vm) && 'named', pending(vm) && 'pending', left(vm) && 'retained'].filter(Boolean).join(' ');
};

const naming = (namespace: string, providerID = ID) =>
  machine({ metadata: { namespace, uid: 'one' }, spec: { providerID } });
const unconfirmed = machine({
  metadata: { namespace: 'mallorys', annotations: { [ANNOTATION_CONFIRMED]: '' } },
  spec: { providerID: ID },
});
const fresh = (namespace: string) => machine({ metadata: { namespace, uid: 'one' } });

describe('a marked VM', () => {
  test.each<[string, Machine, object, string]>([
    ['is that of one of its namespace who names it', naming('herd'), {}, 'named'],
    ['is that of one who writes the middle of its id in another way', naming('herd', 'gce:///z/lost'), {}, 'named'],
    ['may be that of one of its name and namespace who has none yet', fresh('herd'), {}, 'pending'],
    ['is not that of one of another namespace who names it', naming('mallorys'), {}, ''],
    ['is not that of one of its name in another namespace', fresh('mallorys'), { creating: 'one' }, ''],
    ['was left by one of its namespace', fresh('x'), { retained: `herd ${ID}` }, 'retained'],
    ['was not left by one of another', fresh('x'), { retained: `mallorys ${ID}` }, ''],
  ])('%s', (_what, one, beside, expected) => expect(claims(one, MARK, beside)).toBe(expected));

  test('of another namespace than the class is spared by that one’s Machines', () => {
    expect(claims(naming('next'), { ...MARK, namespace: 'next' })).toBe('named');
    expect(claims(naming('herd'), { ...MARK, namespace: 'next' })).toBe('');
  });
});

// hack/decisions/0051 S38
test('a VM is not that of a Machine that only the finalizer of somebody else keeps', () => {
  const metadata = { namespace: 'herd', uid: 'one', deletionTimestamp: '2026-01-01T00:00:00Z' };
  const kept = (finalizers: string[]) => machine({ metadata: { ...metadata, finalizers }, spec: { providerID: ID } });
  expect([claims(kept(['example.com/audit']), MARK), claims(kept(['example.com/audit', FINALIZER]), MARK)]).toEqual([
    '',
    'named',
  ]);
});

describe('a VM without a mark', () => {
  test.each<[string, Machine, object, string]>([
    ['is that of one of the class’s namespace who names it', naming('herd'), {}, 'named'],
    ['is that of one of another who has it, as was confirmed', naming('next'), {}, 'named'],
    ['is not that of one of another who only names it', unconfirmed, {}, ''],
    ['is not that of one of another whose VM ends alike', naming('next', 'gce:///q/z/lost'), {}, ''],
    ['may be that of one of another who is making one', fresh('next'), { creating: 'one' }, 'pending'],
    ['is not that of one of another who has none', fresh('next'), {}, ''],
  ])('%s', (_what, one, beside, expected) => {
    expect(claims(one, undefined, beside)).toBe(expected);
    expect(claims(one, { name: 'm', namespace: '' }, beside)).toBe(expected);
  });
});
