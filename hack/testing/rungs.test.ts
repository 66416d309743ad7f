import { describe, expect, test } from 'bun:test';
import { onlyNamed, rungs, testFilesOf } from './rungs.ts';

const wish = { extra: [], seed: 1 };

describe('a rung that runs only when it is named', () => {
  test.each([...onlyNamed])('is one of the rungs: %s', (name) => {
    expect(Object.keys(rungs)).toContain(name);
  });

  test('has stages of its own, and shows on a larger scale what another rung shows', () => {
    expect(rungs['long']?.(wish).map(({ name }) => name)).toEqual(['tools', 'long', 'simulation']);
    expect(testFilesOf(['api'])).toContain('test/api/rollkills.test.ts');
  });
});
