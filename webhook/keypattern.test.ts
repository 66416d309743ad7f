import { expect, test } from 'bun:test';
import { celMeant, isMeant } from './keypattern.ts';

test.each<[string, string, string, string[], string[]]>([
  ['one key', 'a.io/b', "key == 'a.io/b'", ['a.io/b'], ['a.io/bc', 'a.io', 'xa.io/b']],
  ['a prefix', 'a.io/*', "key.startsWith('a.io/')", ['a.io/b', 'a.io/b/c'], ['a.io', 'b.a.io/c']],
  [
    'the end of a prefix',
    '*.protected/*',
    "key.split('/', 2)[0].endsWith('.protected')",
    ['example.io.protected/door', 'x.protected', 'x.protected/a.protected'],
    ['unprotected.io/protected', 'protected.example.io/b', 'example.io/b.protected', '.protected', '.protected/a'],
  ],
])('%s is meant by %s', (_what, pattern, cel, meant, others) => {
  expect(celMeant(pattern)).toBe(cel);
  expect([...meant, ...others].filter((key) => isMeant(pattern, key))).toEqual(meant);
});
