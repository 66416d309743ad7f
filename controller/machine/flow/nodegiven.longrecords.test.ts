import { expect, test } from 'bun:test';
import { node } from '../../../test/fixtures/objects.ts';
import { lastAsked, lastCapacity } from './nodegiven.ts';
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
