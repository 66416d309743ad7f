import { expect, test } from 'bun:test';
import { ANNOTATION_GIVEN } from '../../../schemas/keys.ts';
import { machine, node } from '../../../test/fixtures/objects.ts';
import { givenOf, lastAsked, lastCapacity } from './nodegiven.ts';
import { asks, change, last, seen, TEMPLATE } from './nodesync.fixture.ts';

// hack/decisions/0028 T82

const CAPACITY = 'node.machine.sapcloud.io/last-applied-virtual-capacity';
const LONG = 256 * 1024;

/** A record of a template with so many characters. */
const recordOf = (length: number): string => {
  const empty = JSON.stringify(asks({ k: '' }));
  return JSON.stringify(asks({ k: 'x'.repeat(length - empty.length) }));
};

test('a record that is longer than all annotations of an object may be is none that can be read, and is written anew', () => {
  expect(lastAsked(node({ metadata: { ...last(recordOf(LONG)) } }))?.labels['k']).toBeString();
  expect(lastAsked(node({ metadata: { ...last(recordOf(LONG + 1)) } }))).toBeUndefined();
  expect(change(seen({ node: { metadata: { ...last(recordOf(LONG + 1)) } } }))).toMatchObject({
    reason: 'ReplaceLastApplied',
    annotations: { [TEMPLATE]: null },
  });
});

test('each version of a Node has its records read once', () => {
  const seenNode = node({
    metadata: { annotations: { ...last(asks({ a: '1' })).annotations, [CAPACITY]: '{"a":"1"}' } },
  });
  expect(lastAsked(seenNode)).toBe(lastAsked(seenNode));
  expect(lastCapacity(seenNode)).toBe(lastCapacity(seenNode));
});

test('of what a record names the Node is asked what it has of it, not the other way round', () => {
  const record = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, '']));
  const metadata = { ...last(asks(record, record)), labels: { k7: 'x', theirs: '1' } };
  expect(change(seen({ node: { metadata } }))).toMatchObject({
    labels: { k7: null },
    annotations: { [TEMPLATE]: null },
  });
});

// hack/decisions/0028 T85: a kubelet may write its own Node's annotations: what it writes there must not end the look at its machine.
test('a record that is nested as deep as an annotation can be is one of another template', () => {
  const DEPTH = 40_000;
  const deep = `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`;
  const record = `{"metadata":{"labels":{}},"spec":{"taints":[{"key":"k","effect":"NoSchedule","value":${deep}}]}}`;
  const template = asks({}, {}, [{ key: 'k', effect: 'NoSchedule' }]);
  expect(record.length).toBeLessThan(LONG);
  const view = seen({ template, node: { metadata: { ...last(record) }, spec: { taints: template.spec.taints } } });
  expect(change(view)).toMatchObject({ annotations: { [TEMPLATE]: JSON.stringify(template) } });
});

test('nor is anything known of what a record of the Machine gave that is nested as deep', () => {
  const deep = `${'['.repeat(40_000)}${']'.repeat(40_000)}`;
  const holding = (value: string) =>
    machine({
      metadata: {
        annotations: { [ANNOTATION_GIVEN]: `{"spec":{"taints":[{"key":"k","effect":"NoSchedule","value":${value}}]}}` },
      },
    });
  expect(givenOf(holding('"v"')).taints).toHaveLength(1);
  expect(givenOf(holding(deep)).taints).toEqual([]);
});
