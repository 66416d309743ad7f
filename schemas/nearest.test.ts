import { expect, test } from 'bun:test';
import { nearest } from './nearest.ts';

const words = ['port', 'address', 'kube-api-qps', 'kube-api-burst', 'namespace'];

test.each([
  ['port', 'port'],
  ['prot', 'port'], // two letters that are swapped are one change
  ['pirt', 'port'],
  ['part-', undefined], // two changes in five letters are too many
  ['prt', 'port'],
  ['kube-api-qsp', 'kube-api-qps'],
  ['kube-qps', undefined],
  ['namespaces', 'namespace'],
  ['adress', 'address'],
  ['', undefined],
  ['zzzz', undefined],
])('%p probably stands for %p', (misspelt, meant) => {
  expect(nearest(misspelt, words)).toBe(meant);
});

// hack/decisions/0028 W1
test('a text that is longer than any word is compared with none', () => {
  const long = 'a'.repeat(65);
  expect(nearest(long, [long])).toBeUndefined();
  expect(nearest(long.slice(1), [long.slice(2)])).toBe(long.slice(2));
});
