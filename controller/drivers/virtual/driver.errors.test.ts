import { describe, expect, test } from 'bun:test';
import { ApiError } from '../../runtime/client/api.ts';
import { type Code, DriverError } from '../sdk/errors.ts';
import { callError } from './driver.ts';

const alive = new AbortController().signal;
const about = { what: 'createMachine of herd/m', signal: alive };
const refusal = (status: number, reason: string) => new ApiError('no', { status, reason, mayHaveActed: false });

describe('What ends a call', () => {
  const rows: Array<[number, string, Code]> = [
    [0, 'NetworkError', 'Unavailable'],
    [0, 'DeadlineExceeded', 'DeadlineExceeded'],
    [401, 'Unauthorized', 'Unauthenticated'],
    [403, 'Forbidden', 'PermissionDenied'],
    [409, 'Conflict', 'Aborted'],
    [429, 'TooManyRequests', 'Unavailable'],
    [503, 'ServiceUnavailable', 'Unavailable'],
    [422, 'Invalid', 'Internal'],
  ];
  test.each(rows)('as %i %s of the target cluster is %s', (status, reason, code) => {
    const cause = refusal(status, reason);
    const error = callError(cause, about);
    expect(error).toMatchObject({ code, message: 'createMachine of herd/m: no' });
    expect(error.cause).toBe(cause);
  });

  test('as a DriverError stays that', () => {
    const error = new DriverError('NotFound', 'gone');
    expect(callError(error, about)).toBe(error);
  });

  test('by its signal is DeadlineExceeded, whatever was thrown', () => {
    const error = callError(refusal(0, 'NetworkError'), { ...about, signal: AbortSignal.abort() });
    expect(error).toMatchObject({ code: 'DeadlineExceeded', message: 'createMachine of herd/m was cut short' });
  });

  test('as anything else is Unknown', () => expect(callError(new Error('odd'), about).code).toBe('Unknown'));
});
