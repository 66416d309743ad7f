import { expect, test } from 'bun:test';
import { node } from '../../../test/fixtures/objects.ts';
import { illnessOf } from './health.ts';

const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady' };
const hung = { type: 'KernelDeadlock', status: 'True', reason: 'DockerHung', message: 'task docker:7 blocked' };
const said = (...conditions: object[]) =>
  illnessOf(node({ status: { conditions } } as never), ['KernelDeadlock', 'DiskPressure']);

// hack/decisions/0051 U44; hack/spec/mcm.md 6.5 B
test.each([
  ['is well', [ready], undefined],
  ['is well whatever conditions say that do not count', [ready, { type: 'Odd', status: 'True' }], undefined],
  ['is well without Ready', [{ type: 'DiskPressure', status: 'False' }], undefined],
  ['tells nothing yet', [], 'its Node has no conditions yet'],
  [
    'no longer reports',
    [{ ...ready, status: 'Unknown', reason: 'NodeStatusUnknown' }],
    'Ready is Unknown (NodeStatusUnknown)',
  ],
  ['is Ready, and has a condition that counts', [ready, hung], 'KernelDeadlock is True (DockerHung)'],
  ['does not know one that counts', [ready, { type: 'DiskPressure', status: 'Unknown' }], 'DiskPressure is Unknown'],
  [
    'has several against it',
    [{ ...ready, status: 'False' }, hung],
    'Ready is False (KubeletReady), KernelDeadlock is True (DockerHung)',
  ],
])('a Node that %s', (_what, conditions, words) => {
  expect(said(...conditions)).toBe(words as string);
});

test('a word of a target’s API server is told as far as words go', () => {
  expect(said({ ...hung, reason: 'x'.repeat(100_000) })?.length).toBeLessThan(200);
});
