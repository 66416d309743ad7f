import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Heap } from './heap.ts';

const numbers = () => new Heap<{ n: number; slot?: number }>((a, b) => a.n < b.n);

test('items come out in order, whatever was removed from the middle', () => {
  const pushes = fc.array(fc.record({ n: fc.nat(50), remove: fc.boolean() }), { maxLength: 60 });
  fc.assert(
    fc.property(pushes, (items) => {
      const heap = numbers();
      for (const item of items) heap.push(item);
      for (const item of items) if (item.remove) expect(heap.remove(item)).toBe(true);
      const left = items.filter((item) => !item.remove);
      expect(heap.size).toBe(left.length);
      const out = left.map(() => heap.pop()?.n);
      expect(out).toEqual(left.map((item) => item.n).sort((a, b) => a - b));
      expect(heap.pop()).toBeUndefined();
    }),
  );
});

test('an item that is not inside is not removed', () => {
  const heap = numbers();
  const item = { n: 1 };
  heap.push(item);
  expect(heap.pop()).toBe(item);
  expect(heap.remove(item)).toBe(false);
  expect(heap.remove({ n: 1 })).toBe(false);
});
