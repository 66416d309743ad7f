import { expect, test } from 'bun:test';
import { ANNOTATION_CONFIRMED } from '../../../schemas/keys.ts';
import { machine } from '../../../test/fixtures/objects.ts';
import { Retained } from './retained.ts';
import { bench, LOST, MINUTE } from './sweeper.fixture.ts';

const left = (providerID: string, changes: { name?: string; deletionPolicy?: 'Delete' | 'Retain' } = {}) => {
  const { name = 'm', deletionPolicy = 'Retain' } = changes;
  const one = machine({ metadata: { name, uid: `uid-${name}` }, spec: { providerID, deletionPolicy } });
  return { ...one, metadata: { ...one.metadata, annotations: {} } };
};

const confirmed = (providerID: string, changes = {}) => {
  const one = left(providerID, changes);
  const record = `${one.metadata.uid} 2026-01-01T00:00:00Z ${providerID}`;
  return { ...one, metadata: { ...one.metadata, annotations: { [ANNOTATION_CONFIRMED]: record } } };
};

// hack/decisions/0028 T50: anybody may write down an id, make the Machine and delete it, again and again.
test('ids that no driver has confirmed or marked are not remembered', () => {
  const retained = new Retained();
  retained.gone(left('mine'));
  expect(retained.has('herd', 'mine')).toBe(false);
});

test('what a driver has confirmed, or has marked, is remembered, for its namespace', () => {
  const retained = new Retained();
  retained.gone(confirmed('one'));
  retained.marked(left('two'));
  retained.gone(left('two'));
  expect(['one', 'two'].map((id) => retained.has('herd', id))).toEqual([true, true]);
  expect(retained.has('others', 'one')).toBe(false);
});

test('a VM that was not to stay after all is not remembered', () => {
  const retained = new Retained();
  retained.gone(confirmed('one', { deletionPolicy: 'Delete' }));
  retained.marked(left('two'));
  retained.gone(left('two', { deletionPolicy: 'Delete' }));
  retained.gone(left('two'));
  expect(['one', 'two'].map((id) => retained.has('herd', id))).toEqual([false, false]);
});

test('no more than so many of a namespace are remembered, the latest, and none that is longer than an id', () => {
  const retained = new Retained();
  const ids = Array.from({ length: 2_001 }, (_, at) => `id-${at}`);
  for (const id of ids) retained.gone(confirmed(id));
  expect([retained.has('herd', 'id-0'), retained.has('herd', 'id-1'), retained.has('herd', 'id-2000')]).toEqual([
    false,
    true,
    true,
  ]);
  const long = 'x'.repeat(1_025);
  retained.gone(confirmed(long));
  expect(retained.has('herd', long)).toBe(false);
});

test('a VM is remembered until a list shows its mark, and spared before and after', async () => {
  const retained = new Retained();
  const { sweeps, world } = bench({
    wasRetained: (namespace, id) => retained.has(namespace, id),
    retentionShown: (namespace, id) => retained.shown(namespace, id),
  });
  retained.gone(confirmed(LOST.providerID));
  await sweeps(3, MINUTE);
  expect(retained.has('herd', LOST.providerID)).toBe(true);
  world.vms = [{ ...LOST, retained: true }];
  await sweeps(3, MINUTE);
  expect([retained.has('herd', LOST.providerID), world.asked]).toEqual([false, []]);
});
