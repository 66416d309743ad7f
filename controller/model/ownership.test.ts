import { describe, expect, test } from 'bun:test';
import type { Machine } from '../../schemas/machine.ts';
import { machine, machineSet } from '../../test/fixtures/objects.ts';
import { Cache } from '../runtime/watch/cache.ts';
import {
  adoptable,
  adoptionPatch,
  byOwner,
  childrenIn,
  nobodysIn,
  ownedBy,
  siblingsIn,
  sortChildren,
} from './ownership.ts';

// hack/decisions/0028 T4

describe('a selector that is too large', () => {
  const labels = { app: 'herd' };
  const large = { matchExpressions: [{ key: 'app', operator: 'In', values: Array(27_000).fill('herd') }] };
  const child = (name: string) => machine({ metadata: { name, labels } });
  const setWith = (selector: object) => ({ ...machineSet(), spec: { selector } });

  test('lets none of its children go, and takes none', () => {
    const [own, other] = [child('own'), child('other')];
    const { matching, strays, orphans } = sortChildren(setWith(large), { owned: [own], unowned: [other] });
    expect({ matching, strays, orphans }).toEqual({ matching: [own], strays: [], orphans: [] });
  });
});

test('what nobody controls is found by its namespace', () => {
  const cache = new Cache<Machine>({ indexes: { owner: byOwner } });
  for (const namespace of ['herd', 'flock']) cache.put(machine({ metadata: { name: 'one', namespace } }));
  expect(cache.by('owner', nobodysIn('herd')).map(({ metadata }) => metadata.namespace)).toEqual(['herd']);
});

describe('an owner reference is free text, and reaches into no other namespace (hack/decisions/0028 T45)', () => {
  const set = machineSet({ metadata: { name: 'set', uid: 'u' } });
  const own = ownedBy(set, 'MachineSet');
  const cache = new Cache<Machine>({ indexes: { owner: byOwner } });
  const names = (found: readonly Machine[]) => found.map(({ metadata }) => metadata.name);
  const put = (name: string, namespace: string, ownerReferences: object[]) =>
    cache.put(machine({ metadata: { name, namespace, ownerReferences } as object }));
  put('own', 'herd', [own]);
  put('sibling', 'herd', [own]);
  put('alone', 'herd', []);
  for (const uid of ['u', 'herd/none', 'herd/uid/u', 'none/herd', 'herd/named/MachineSet/set', '../herd/none'])
    for (const kind of ['MachineSet', 'herd/none']) put(`${kind} ${uid}`, 'flock', [{ ...own, kind, uid }]);

  test('an owner has the children of its own alone', () => {
    expect(names(childrenIn(cache, set))).toEqual(['own', 'sibling']);
    expect(names(siblingsIn(cache, cache.get('herd/own') as Machine))).toEqual(['own', 'sibling']);
    expect(siblingsIn(cache, cache.get('herd/alone') as Machine)).toEqual([]);
    expect(names(adoptable(cache, set, 'MachineSet'))).toEqual(['alone']);
  });

  test('it claims none of another one, whoever hands it over', () => {
    const all = cache.list().filter(({ metadata }) => metadata.namespace === 'flock');
    const sorted = sortChildren(set, { owned: all, unowned: all });
    expect(sorted).toEqual({ matching: [], strays: [], orphans: [] });
  });
});

describe('a restored set, which has another UID than the references to it (hack/decisions/0028 M18)', () => {
  const set = machineSet({ metadata: { name: 'set', uid: 'now' } });
  const former = ownedBy(machineSet({ metadata: { name: 'set', uid: 'before' } }), 'MachineSet');
  const own = ownedBy(set, 'MachineSet');
  const of = (name: string, metadata: object) => machine({ metadata: { name, ...metadata } });
  const seen = (...machines: Machine[]) => {
    const cache = new Cache<Machine>({ indexes: { owner: byOwner } });
    for (const one of machines) cache.put(one);
    return adoptable(cache, set, 'MachineSet').map(({ metadata }) => metadata.name);
  };

  test('may adopt what nobody controls, and what names it by the UID that it had', () => {
    expect(seen(of('alone', {}), of('restored', { ownerReferences: [former] }))).toEqual(['alone', 'restored']);
  });

  test.each<[string, object]>([
    ['is its own', { ownerReferences: [own] }],
    ['is in another namespace', { namespace: 'flock', ownerReferences: [former] }],
    ['is of another set', { ownerReferences: [{ ...former, name: 'other' }] }],
    ['is of another kind of that name', { ownerReferences: [{ ...former, kind: 'MachineDeployment' }] }],
    ['is of another group', { ownerReferences: [{ ...former, apiVersion: 'apps/v1' }] }],
    [
      'another controls beside a reference to it',
      {
        ownerReferences: [
          { ...former, controller: false },
          { ...own, name: 'other' },
        ],
      },
    ],
  ])('leaves alone what %s', (_what, metadata) => {
    expect(seen(of('one', metadata))).toEqual([]);
  });

  test('takes the place of the one before it, and of nobody else', () => {
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'set', uid: 'x' };
    const child = of('one', { resourceVersion: '7', ownerReferences: [other, former] });
    const { uid } = child.metadata;
    expect(adoptionPatch(set, 'MachineSet', child)).toEqual({
      type: 'merge',
      body: { metadata: { uid, resourceVersion: '7', ownerReferences: [other, own] } },
    });
  });

  test('adopts nothing that leaves', () => {
    const leaving = of('one', {
      labels: set.spec?.selector?.matchLabels,
      deletionTimestamp: '2026-01-01T00:00:00Z',
      ownerReferences: [former],
    });
    expect(sortChildren(set, { owned: [], unowned: [leaving] }).orphans).toEqual([]);
  });
});
