import { describe, expect, test } from 'bun:test';
import type { Machine } from '../schemas/machine.ts';
import { machine } from '../test/fixtures/objects.ts';
import { byOwner, claim, nobodysIn } from './ownership.ts';
import { Cache } from './runtime/cache.ts';

// hack/decisions/0028 T4

describe('a selector that is too large', () => {
  const labels = { app: 'herd' };
  const large = { matchExpressions: [{ key: 'app', operator: 'In', values: Array(27_000).fill('herd') }] };
  const child = (name: string) => machine({ metadata: { name, labels } });

  test('lets none of its children go, and takes none', () => {
    const [own, other] = [child('own'), child('other')];
    const { matching, strays, orphans } = claim(large, { owned: [own], unowned: [other] });
    expect({ matching, strays, orphans }).toEqual({ matching: [own], strays: [], orphans: [] });
  });
});

test('what nobody controls is found by its namespace', () => {
  const cache = new Cache<Machine>({ indexes: { owner: byOwner } });
  for (const namespace of ['herd', 'flock']) cache.put(machine({ metadata: { name: 'one', namespace } }));
  expect(cache.by('owner', nobodysIn('herd')).map(({ metadata }) => metadata.namespace)).toEqual(['herd']);
});
