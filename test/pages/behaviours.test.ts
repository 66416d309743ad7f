import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { behaviours } from './behaviours.ts';
import { linksOf } from './links.ts';

const ROOT = join(import.meta.dir, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** What a page leads to, from the top of the repository: each target, and the folder of each. */
const ledTo = (page: string): string[] =>
  linksOf(read(page)).map(({ path }) => relative(ROOT, join(ROOT, dirname(page), path)));

test.each(behaviours.map((one) => [one.behaviour, one] as const))('is found in four opens: %s', (_what, one) => {
  const { route, line } = one;
  const [map = '', first = ''] = route;
  expect(route.length).toBeLessThanOrEqual(3);
  expect(ledTo('README.md')).toContain(map);
  expect(ledTo(map).some((path) => first === path || first.startsWith(`${path}/`))).toBe(true);
  expect(read(route.at(-1) ?? '')).toContain(line);
});
