import { describe, expect, test } from 'bun:test';
import { coldChanges } from './hotpart.ts';
import type { JsonSchema } from './jsonschema.ts';
import virtual from './providers/virtual.schema.json';

const hot = { 'x-drover-hot-update': true };

const schema: JsonSchema = {
  type: 'object',
  properties: {
    size: { type: 'string' },
    tags: { type: 'object', ...hot },
    disks: { type: 'array', items: { type: 'object', properties: { size: {}, label: hot } } },
    pair: { type: 'array', prefixItems: [hot, {}] },
    network: { $ref: '#/$defs/network' },
    speed: { $ref: '#/$defs/speed' },
    login: { $ref: '#/$defs/login', ...hot },
    either: { anyOf: [hot, { type: 'string' }] },
    both: { oneOf: [hot, hot] },
    all: { allOf: [hot, { type: 'string' }] },
    still: { type: 'object', ...hot, properties: { born: { 'x-drover-hot-update': false } } },
  },
  allOf: [{ properties: { disputed: hot } }, { properties: { disputed: {} } }],
  patternProperties: { '^cold-': {} },
  $defs: {
    network: { properties: { name: {}, mtu: hot } },
    speed: { type: 'number', ...hot },
    login: { type: 'string' },
  },
};

describe('what changed that may not change on a VM', () => {
  test.each<[string, unknown, unknown, string[]]>([
    ['nothing', { size: 'a' }, { size: 'a' }, []],
    ['keys in another order', { size: 'a', tags: {} }, { tags: {}, size: 'a' }, []],
    ['a cold field', { size: 'a' }, { size: 'b' }, ['.size']],
    ['a cold field that comes', {}, { size: 'b' }, ['.size']],
    ['a cold field that goes', { size: 'a' }, {}, ['.size']],
    ['a hot field', { tags: { a: '1' } }, { tags: { a: '2', b: '3' } }, []],
    ['a hot field that goes', { tags: {} }, {}, []],
    ['a field of a list', { disks: [{ size: 1 }] }, { disks: [{ size: 2 }] }, ['.disks[0].size']],
    ['a hot field of a list', { disks: [{ label: 1 }] }, { disks: [{ label: 2 }] }, []],
    ['a longer list', { disks: [] }, { disks: [{ label: 2 }] }, ['.disks']],
    ['a tuple', { pair: [1, 2] }, { pair: [3, 4] }, ['.pair[1]']],
    [
      'what a reference leads to',
      { network: { name: 'a', mtu: 1 } },
      { network: { name: 'b', mtu: 2 } },
      ['.network.name'],
    ],
    ['what a reference marks', { speed: 1 }, { speed: 2 }, []],
    ['what is marked beside a reference', { login: 'a' }, { login: 'b' }, []],
    ['what only one alternative marks', { either: 1 }, { either: 2 }, ['.either']],
    ['what every alternative marks', { both: 1 }, { both: 2 }, []],
    ['what one of several conditions marks', { all: 'a' }, { all: 'b' }, []],
    ['what one of two descriptions marks', { disputed: 1 }, { disputed: 2 }, ['.disputed']],
    ['below a hot field', { still: { born: 1 } }, { still: { born: 2 } }, []],
    ['an unknown field', { 'cold-a': 1, 'example.io/x': 1 }, {}, ['.cold-a', '[example.io/x]']],
    ['a key that every object inherits', {}, { constructor: 1 }, ['.constructor']],
    ['another type', { disks: [] }, { disks: {} }, ['.disks']],
    ['everything', undefined, { size: 'a' }, ['']],
  ])('%s', (_what, before, after, paths) => {
    expect(coldChanges(before, after, schema)).toEqual(paths);
  });

  test('on a machine of the virtual driver', () => {
    const before = { initialize: true, latency: { boot: '1s' }, node: { labels: { 'example.io/a': 'b' } } };
    const after = { initialize: false, latency: { boot: '2s' }, node: { labels: { 'example.io/a': 'c' } } };
    expect(coldChanges(before, after, virtual)).toEqual(['.initialize', '.node.labels[example.io/a]']);
  });
});
