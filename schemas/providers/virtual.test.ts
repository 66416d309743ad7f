import { describe, expect, test } from 'bun:test';
import Ajv2020 from 'ajv/dist/2020';
import * as v from 'valibot';
import published from './virtual.schema.json';
import { virtualSpec } from './virtual.ts';

const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true, logger: false });
ajv.addKeyword('x-drover-hot-update');
const validates = ajv.compile(published);

const good: Array<[string, unknown]> = [
  ['empty', {}],
  ['slow', { latency: { create: '1s', boot: '1m30s', join: '500ms', delete: '0', spread: 0.2 } }],
  ['bounded', { capacity: 0 }],
  ['still', { heartbeat: '0s' }],
  ['to be initialized', { initialize: true }],
  [
    'with Nodes of its own',
    {
      node: {
        labels: { a: 'b' },
        taints: [{ key: 'k', effect: 'NoSchedule' }],
        capacity: { cpu: 4, memory: '1Gi' },
        os: 'linux',
      },
    },
  ],
  ['tagged', { tags: { team: 'blue', 'a.b-c_d': '' } }],
  ['faulty by rate', { faults: { seed: 7, calls: [{ method: 'createMachine', rate: 0.1, answer: 'Unavailable' }] } }],
  [
    'faulty by name',
    {
      faults: {
        calls: [{ machine: 'm-*', times: 2, answer: 'Hang', effect: true }],
        vms: [{ machine: 'm-1', fate: 'Vanishes', after: '3m' }],
      },
    },
  ],
];

const bad: Array<[string, unknown]> = [
  ['no object', 'fast'],
  ['an unknown field', { size: 'xl' }],
  ['an unknown latency', { latency: { reboot: '1s' } }],
  ['a duration without a unit', { heartbeat: '10' }],
  ['a negative duration', { latency: { boot: '-1s' } }],
  ['half a VM', { capacity: 1.5 }],
  ['a negative capacity', { capacity: -1 }],
  ['a share above 1', { latency: { spread: 1.1 } }],
  ['an os that there is not', { node: { os: 'plan9' } }],
  ['a taint without an effect', { node: { taints: [{ key: 'k' }] } }],
  ['a tag with a blank', { tags: { 'a b': 'c' } }],
  ['a tag that is no text', { tags: { a: 1 } }],
  ['a fault without an answer', { faults: { calls: [{ rate: 1 }] } }],
  ['a fault that answers OK', { faults: { calls: [{ answer: 'OK' }] } }],
  ['a fate that there is not', { faults: { vms: [{ fate: 'Explodes' }] } }],
];

describe('The schema of the virtual driver, as code and as published', () => {
  test.each(good)('takes a spec that is %s', (_what, spec) => {
    expect([v.is(virtualSpec, spec), validates(spec)]).toEqual([true, true]);
  });

  test.each(bad)('refuses %s', (_what, spec) => {
    expect([v.is(virtualSpec, spec), validates(spec)]).toEqual([false, false]);
  });

  test('marks the fields that may change on a class in use', () => {
    const hot = Object.entries(published.properties).filter(([, field]) => 'x-drover-hot-update' in field);
    expect(hot.map(([name]) => name)).toEqual(['latency', 'capacity', 'heartbeat', 'tags', 'faults']);
  });

  test('uses no expression that RE2 would not take', () => {
    const patterns = [...JSON.stringify(published).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, text = '""']) =>
      JSON.parse(text),
    );
    expect(patterns.length).toBeGreaterThan(0);
    for (const pattern of patterns) expect(pattern).not.toMatch(/\\u|\(\?[=!<]|\\[1-9]/);
  });
});
