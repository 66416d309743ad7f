import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Node } from '../runtime/k8s/core.ts';
import { isListed } from './volumelist.ts';

const nodeWith = (names: readonly string[]): Node => ({
  metadata: { name: 'n' },
  status: { volumesAttached: names.map((name) => ({ name })) },
});

// hack/decisions/0028 T87
test('a volume is in the list of a Node whose entry contains its id, wherever that stands', () => {
  const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '^'), maxLength: 8 }), { maxLength: 6 });
  fc.assert(
    fc.property(texts, texts, (names, ids) => {
      const isThere = ids.some((id) => names.some((name) => name.includes(id)));
      const filled = names.filter((name) => name !== '');
      fc.pre(!ids.includes('') && filled.length === names.length);
      expect(
        isListed(
          nodeWith(names),
          ids.map((id) => ({ id })),
        ),
      ).toBe(isThere);
    }),
  );
});

test('where all ids together are longer than any list nobody looks for them', () => {
  const id = 'x'.repeat(1 << 15);
  const has = (count: number) =>
    isListed(
      nodeWith(['y']),
      Array.from({ length: count }, () => ({ id })),
    );
  expect([has(2), has(3)]).toEqual([false, true]);
});
