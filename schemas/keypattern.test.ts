import { expect, test } from 'bun:test';
import { celMeant, celMeantBy, isMeant, isMeantBy } from './keypattern.ts';

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

test('of several patterns those are meant that no exception frees', () => {
  const patterns = { keys: ['a.io/*', '*.a.io/*'], except: ['a.io/b', 'c.a.io/d', '*.e.a.io/*'] };
  expect(celMeantBy(patterns)).toBe(
    "(key.startsWith('a.io/') || key.split('/', 2)[0].endsWith('.a.io')) && !(key in ['a.io/b', 'c.a.io/d'] || key.split('/', 2)[0].endsWith('.e.a.io'))",
  );
  const keys = ['a.io/b', 'a.io/c', 'c.a.io/d', 'c.a.io/e', 'x.e.a.io/f', 'e.a.io/f', 'b.io/a'];
  expect(keys.filter((key) => isMeantBy(patterns, key))).toEqual(['a.io/c', 'c.a.io/e', 'e.a.io/f']);
});
