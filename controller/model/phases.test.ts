import { describe, expect, test } from 'bun:test';
import type { Phase } from '../../schemas/machinestatus.ts';
import { mayFollow } from './phases.fixture.ts';
import { phases, rowOf } from './phases.ts';

const all = Object.keys(phases) as Phase[];

describe('phases of a Machine (hack/spec/mcm.md 1.2)', () => {
  test.each(all.filter((phase) => phase !== 'Terminating'))('from "%s" a machine may fail, and leave', (phase) => {
    expect([mayFollow(phase, 'Failed'), mayFollow(phase, 'Terminating')]).toEqual([true, true]);
  });

  test('nothing follows Terminating, and nothing goes back to none', () => {
    expect(all.filter((phase) => mayFollow('Terminating', phase))).toEqual(['Terminating']);
    expect(all.filter((phase) => mayFollow(phase, ''))).toEqual(['']);
  });

  test('each phase can be reached', () => {
    const reached = new Set<Phase>(['']);
    for (const phase of reached) for (const next of all.filter((one) => mayFollow(phase, one))) reached.add(next);
    expect([...reached].sort()).toEqual(all.toSorted());
  });

  test('one that has come up fails only by bad health; one that has not says nothing of the health of its zone', () => {
    const judged = all.filter((phase) => phases[phase].health !== undefined);
    expect(judged.filter((phase) => phases[phase].coming)).toEqual([]);
    expect(all.filter((phase) => phases[phase].stands && phases[phase].health === undefined)).toEqual([]);
  });

  test('of a phase that is not known nothing is said, and its machine goes last', () => {
    expect(rowOf('Hibernating')).toEqual({ next: [], rank: phases.Running.rank });
    expect(rowOf('constructor')).toEqual(rowOf('Hibernating'));
  });
});
