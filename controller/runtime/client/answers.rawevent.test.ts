import { expect, test } from 'bun:test';
import { nodes } from '../k8s/core.ts';
import { readEvent } from './answers.ts';
import { ApiError, isGone } from './errors.ts';

const watch = { what: 'watch nodes', method: 'GET' };

function failure(line: string): unknown {
  try {
    return readEvent(watch, line, nodes);
  } catch (error) {
    return error;
  }
}

test.each(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'])('%s is an event', (type) => {
  const event = { type, object: { metadata: { name: 'n', resourceVersion: '5' } } };
  expect<unknown>(readEvent(watch, JSON.stringify(event), nodes)).toEqual(event);
});

test('ERROR is thrown with the Status that it carries', () => {
  const object = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version: 1 (9)' };
  const error = failure(JSON.stringify({ type: 'ERROR', object }));
  expect(isGone(error)).toBe(true);
  expect(error).toMatchObject({ message: 'watch nodes: 410 Expired: too old resource version: 1 (9)' });
});

test.each(['{"type":"ADD', 'null', '{}', '{"type":"RENAMED","object":{}}'])(
  '%s is no event, which is an error',
  (line) => {
    const error = failure(line);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 0, reason: 'NetworkError', mayHaveActed: false });
  },
);

// hack/decisions/0028 T73
test.each([
  ['name', 254],
  ['namespace', 254],
  ['uid', 129],
  ['resourceVersion', 129],
])('an object whose %s is longer than any is no event either', (field, length) => {
  const metadata = (long: number) => ({ name: 'n', resourceVersion: '5', [field]: '1'.repeat(long) });
  const line = (long: number) => JSON.stringify({ type: 'ADDED', object: { metadata: metadata(long) } });
  expect(failure(line(length))).toMatchObject({ status: 0, reason: 'NetworkError' });
  expect(failure(line(length - 1))).toMatchObject({ type: 'ADDED' });
});
