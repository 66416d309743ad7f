import { expect, test } from 'bun:test';
import { mirrorAmong } from './debian.ts';

test('the mirror is the one from which this machine gets the same Debian', () => {
  const sources = ['http://a.example/ubuntu/ Ubuntu noble', 'http://b.example/other/ Debian trixie'];
  expect(mirrorAmong([...sources, 'http://c.example/debian/ Debian bookworm', ''].join('\n'))).toBe(
    'http://c.example/debian/',
  );
  expect(mirrorAmong(sources.join('\n'))).toBeUndefined();
  expect(mirrorAmong('')).toBeUndefined();
});
