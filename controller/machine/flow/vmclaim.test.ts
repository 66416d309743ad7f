import { describe, expect, test } from 'bun:test';
import { ANNOTATION_CONFIRMED } from '../../../schemas/keys.ts';
import { at, machine } from '../../../test/fixtures/objects.ts';
import type { VmOwner } from '../../drivers/sdk/driver.ts';
import { sameVmBy } from '../../drivers/sdk/vmstatus.ts';
import { confirmation, confirmedAt } from '../../model/machine.ts';
import { claimFact } from './vmclaim.ts';

/** hack/decisions/0028 W4: label `node` and `spec.providerID` are claims, and no more. */

const VM = 'cloud:///1';
/** Of the one cloud the end tells the VM, of the other it is a name. */
const isSameVm = sameVmBy([{ isSameVm: (one, other) => one.startsWith('cloud:') && other.startsWith('cloud:') }]);
const OWN: VmOwner = { installation: 'here', namespace: 'herd', name: 'm', uid: 'uid-m' };
const told = (owner?: VmOwner, providerID = VM) => ({ providerID, nodeName: 'm', ...(owner && { owner }) });

/** A Machine that names the VM, confirmed so many seconds after it was made, or never. */
function naming(name: string, confirmed?: number, uid = `uid-${name}`) {
  const record = confirmed === undefined ? '' : `${uid} ${at(confirmed)} ${VM}`;
  const annotations = { [ANNOTATION_CONFIRMED]: record };
  return machine({ metadata: { name, uid, annotations }, spec: { providerID: VM } });
}

const fact = (
  owner: VmOwner | undefined,
  {
    confirmed,
    rivals = [],
    former,
  }: { confirmed?: number; rivals?: ReturnType<typeof naming>[]; former?: readonly string[] } = {},
) => {
  const one = naming('m', confirmed);
  return claimFact({
    machine: one,
    reported: told(owner),
    installation: 'here',
    former,
    claimants: [one, ...rivals],
    isSameVm,
  });
};

test.each([
  [true, 'own'],
  [false, 'foreign'],
])('an id that a driver may have: %p', (may, expected) => {
  const one = naming('m');
  const facts = { machine: one, reported: told(OWN), installation: 'here', claimants: [one], isSameVm };
  expect<string>(claimFact({ ...facts, isVmId: () => may }).at).toBe(expected);
});

describe('the VM that a Machine names', () => {
  test.each<[string, VmOwner, string]>([
    ['is its own by its mark', OWN, 'own'],
    ['is another’s of this installation', { ...OWN, name: 'other', uid: 'uid-other' }, 'others'],
    ['is another’s of its name in another namespace', { ...OWN, namespace: 'victim', uid: 'uid-x' }, 'others'],
    ['is another’s of another installation, whatever its name', { ...OWN, installation: 'x', uid: 'uid-x' }, 'others'],
    ['is another’s by no more than its name', { name: 'other' }, 'others'],
    ['was its own before a restore', { ...OWN, uid: 'uid-before' }, 'heir'],
    ['is its own under another id of the installation', { ...OWN, installation: 'before' }, 'heir'],
  ])('%s', (_what, owner, expected) => {
    expect<string>(fact(owner).at).toBe(expected);
  });

  test.each([
    ['one of its namespace', { ...OWN, name: 'other', uid: 'u' }, 'Machine herd/other (UID u, installation here)'],
    ['one of another', { ...OWN, namespace: 'victim', name: 'secret', uid: 'u' }, 'a Machine of another namespace'],
    ['one without a namespace', { name: 'other' }, 'Machine other'],
  ])('is told to be that of %s (hack/decisions/0028 T14)', (_what, owner, whose) => {
    expect(fact(owner)).toMatchObject({ at: 'others', whose });
  });

  test('tells both ids where only the installation differs (hack/decisions/0028)', () => {
    const moved = { installation: { its: 'before', ours: 'here' } };
    expect(fact({ ...OWN, installation: 'before', uid: 'uid-x' })).toMatchObject(moved);
    expect(fact({ ...OWN, installation: 'before', uid: 'uid-x', namespace: 'victim' })).not.toHaveProperty(
      'installation',
    );
    expect(fact({ ...OWN, installation: 'before', uid: 'uid-x', name: 'other' })).not.toHaveProperty('installation');
    expect(fact({ ...OWN, uid: 'uid-twin' }, { confirmed: 1 })).not.toHaveProperty('installation');
  });

  test.each<[string, Partial<VmOwner>, number | undefined, string]>([
    ['its own', {}, undefined, 'heir'],
    ['another’s by the name', { name: 'other' }, undefined, 'others'],
    ['another’s by the namespace', { namespace: 'victim' }, undefined, 'others'],
    ['another’s of an installation that nobody named', { installation: 'third' }, undefined, 'others'],
    ['nobody’s who had it here, and lost it to the installation that goes on there', {}, 1, 'others'],
  ])(
    'of the installation that its namespace was moved from, is %s (hack/decisions/0028 M6)',
    (_what, mark, confirmed, expected) => {
      const moved = { ...OWN, installation: 'before', uid: 'uid-x', ...mark };
      expect<string>(fact(moved, { former: ['first', 'before'], ...(confirmed && { confirmed }) }).at).toBe(expected);
    },
  );

  test('is not known to be anybody’s before the driver has spoken of that very VM', () => {
    const one = naming('m', 1);
    const facts = { machine: one, installation: 'here', claimants: [one], isSameVm };
    expect(claimFact({ ...facts, reported: undefined })).toEqual({ at: 'unknown' });
    expect(claimFact({ ...facts, reported: told(OWN, 'cloud:///2') })).toEqual({ at: 'unknown' });
    expect(claimFact({ ...facts, reported: told(OWN, 'cloud:///zone/1') })).toEqual({ at: 'own', marked: true });
  });

  test('is not taken back by one who had it and lost it: another control plane has the same id', () => {
    expect(fact({ ...OWN, uid: 'uid-twin' }, { confirmed: 1 }).at).toBe('others');
  });
});

describe('a VM without a mark', () => {
  test.each<[string, VmOwner | undefined, number | undefined, Array<number | undefined>, string]>([
    ['is that of the only one who names it', undefined, undefined, [], 'own'],
    ['is that of the one who was recorded, and not of the elder', undefined, 9, [undefined], 'own'],
    ['is not that of one who comes after the one who was recorded', undefined, undefined, [9], 'others'],
    ['is that of the one who was recorded first', undefined, 8, [9], 'own'],
    ['is not that of the one who was recorded second', undefined, 9, [8], 'others'],
    ['is nobody’s while two name it and nobody was recorded', undefined, undefined, [undefined], 'others'],
    ['is that of the one whose name it has, whoever else names it', { name: 'm' }, undefined, [undefined], 'own'],
  ])('%s', (_what, owner, confirmed, others, expected) => {
    const rivals = others.map((its, index) => naming(`rival-${index}`, its));
    expect<string>(fact(owner, { ...(confirmed !== undefined && { confirmed }), rivals }).at).toBe(expected);
  });

  test.each([
    ['of another project is no rival’s', 'gce:///a/z/db-0', 'gce:///b/z/db-0', 'shop', 'own'],
    ['of another project is none’s in the same namespace', 'gce:///a/z/db-0', 'gce:///b/z/db-0', 'herd', 'own'],
    ['written alike is, in any namespace', 'gce:///a/z/db-0', 'gce:///a/z/db-0', 'shop', 'others'],
    ['written in another way is, in any namespace', 'cloud:///a/i-1', 'cloud:///b/i-1', 'shop', 'others'],
  ])('%s (hack/decisions/0028 T6)', (_what, own, providerID, namespace, expected) => {
    const one = machine({ metadata: { annotations: { [ANNOTATION_CONFIRMED]: '' } }, spec: { providerID: own } });
    const rival = machine({ metadata: { name: 'db', namespace, uid: 'uid-db' }, spec: { providerID } });
    const facts = {
      machine: one,
      reported: told(undefined, own),
      installation: 'here',
      claimants: [one, rival],
      isSameVm,
    };
    expect<string>(claimFact(facts).at).toBe(expected);
  });

  test('of which the driver tells another id is not known to be anybody’s (hack/decisions/0028 T6)', () => {
    const thief = machine({ spec: { providerID: 'gce:///z/db-0' } });
    const facts = { reported: told(undefined, 'gce:///a/z/db-0'), installation: 'here', claimants: [thief], isSameVm };
    expect(claimFact({ ...facts, machine: thief }).at).toBe('unknown');
  });

  test('is told to be that of a rival by name within the namespace alone (hack/decisions/0028 T14)', () => {
    const stranger = machine({ metadata: { name: 'secret', namespace: 'victim', uid: 'u' }, spec: { providerID: VM } });
    const whose = (rival: ReturnType<typeof machine>) => fact(undefined, { rivals: [rival] });
    expect(whose(stranger)).toMatchObject({ whose: 'a Machine of another namespace, too' });
    expect(whose(naming('rival'))).toMatchObject({ whose: 'Machine herd/rival, too' });
  });

  test('is that of one of two who were recorded in the same second', () => {
    const [a, b] = [naming('a', 5), naming('b', 5)];
    const of = (one: typeof a) =>
      claimFact({ machine: one, reported: told(), installation: 'here', claimants: [a, b], isSameVm }).at;
    expect([of(a), of(b)]).toEqual(['own', 'others']);
  });
});

test('a record counts for the Machine of its UID and for that VM alone: a backup brings those of others', () => {
  const record = confirmation(machine(), VM, Date.parse(at(7)));
  const with7 = (metadata: object, providerID = VM) =>
    confirmedAt(machine({ metadata: { ...metadata, annotations: record }, spec: { providerID } }));
  expect(with7({})).toBe(Date.parse(at(7)));
  const others = [with7({ uid: 'restored' }), with7({}, 'cloud:///2'), with7({}, 'cloud:///zone/1')];
  expect(others).toEqual([undefined, undefined, undefined]);
  const broken = { [ANNOTATION_CONFIRMED]: 'uid-m' };
  expect(confirmedAt(machine({ metadata: { annotations: broken }, spec: { providerID: VM } }))).toBeUndefined();
});
