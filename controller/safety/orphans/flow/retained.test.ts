import { describe, expect, test } from 'bun:test';
import { ANNOTATION_CONFIRMED } from '../../../../schemas/keys.ts';
import { BORN, machine } from '../../../../test/fixtures/objects.ts';
import { FakeClock } from '../../../runtime/clock.fake.ts';
import { bench, LOST, MINUTE } from '../vmsweep.fixture.ts';
import { Retained } from './retained.ts';

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
  const retained = new Retained({ clock: new FakeClock(BORN), graceMs: 10 * MINUTE });
  retained.gone(left('mine'));
  expect(retained.has('herd', 'mine')).toBe(false);
});

test('what a driver has confirmed, or has marked, is remembered, for its namespace', () => {
  const retained = new Retained({ clock: new FakeClock(BORN), graceMs: 10 * MINUTE });
  retained.gone(confirmed('one'));
  retained.marked(left('two'));
  retained.gone(left('two'));
  expect(['one', 'two'].map((id) => retained.has('herd', id))).toEqual([true, true]);
  expect(retained.has('others', 'one')).toBe(false);
});

test('a VM that was not to stay after all is not remembered', () => {
  const retained = new Retained({ clock: new FakeClock(BORN), graceMs: 10 * MINUTE });
  retained.gone(confirmed('one', { deletionPolicy: 'Delete' }));
  retained.marked(left('two'));
  retained.gone(left('two', { deletionPolicy: 'Delete' }));
  retained.gone(left('two'));
  expect(['one', 'two'].map((id) => retained.has('herd', id))).toEqual([false, false]);
});

test('no more than so many of a namespace are remembered, the latest, and none that is longer than an id', () => {
  const retained = new Retained({ clock: new FakeClock(BORN), graceMs: 10 * MINUTE });
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

describe('a VM that was left on purpose', () => {
  /** Sweeps of lists that show it, with its mark or without. */
  function sweeping() {
    const clock = new FakeClock(BORN);
    const retained = new Retained({ clock, graceMs: 10 * MINUTE });
    const { sweeps, world } = bench({
      clock,
      wasRetained: (namespace, id) => retained.has(namespace, id),
      retentionListed: (namespace, vm) => retained.listed(namespace, vm),
    });
    retained.gone(confirmed(LOST.providerID));
    const isRemembered = () => retained.has('herd', LOST.providerID);
    const shows = async (isMarked: boolean, times: number) => {
      world.vms = [isMarked ? { ...LOST, retained: true } : LOST];
      for (let done = 0; done < times; done++) {
        await sweeps(1, 0);
        await clock.advance(MINUTE);
      }
    };
    return { shows, isRemembered, world };
  }

  test('is remembered until lists have shown its mark for a while, and spared before and after', async () => {
    const { shows, isRemembered, world } = sweeping();
    await shows(false, 3);
    expect(isRemembered()).toBe(true);
    await shows(true, 10);
    expect(isRemembered()).toBe(true);
    await shows(true, 2);
    expect([isRemembered(), world.asked]).toEqual([false, []]);
  });

  // hack/decisions/0051 L84: a cloud of several places, of which one is behind another.
  test('stays though lists go back behind its mark', async () => {
    const { shows, isRemembered, world } = sweeping();
    for (let rounds = 0; rounds < 3; rounds++) {
      await shows(true, 9);
      await shows(false, 3);
    }
    expect([isRemembered(), world.asked]).toEqual([true, []]);
  });
});
