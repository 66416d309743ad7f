import { expect, test } from 'bun:test';
import { errorOfStatus } from './client/errors.ts';
import { beginning } from './cuttext.ts';
import { heapKept } from './heapkept.fixture.ts';

// hack/decisions/0028 T56
test.each<[string, (text: string) => unknown]>([
  ['a text', (text) => beginning(text, 512)],
  ['what an API server says', (text) => errorOfStatus({ what: 'evict', method: 'POST' }, { message: text }).message],
])('of %s no more is kept than is shown', async (_what, keep) => {
  expect(await heapKept(keep)).toBeLessThan(0.2);
});

test('a text that is short enough is what it was, and a cut one its beginning', () => {
  expect([beginning('abc', 3), beginning('abcd', 3), beginning('', 3)]).toEqual(['abc', 'abc', '']);
});
