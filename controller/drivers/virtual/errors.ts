import { ApiError } from '../../runtime/client/errors.ts';
import { type Code, DriverError, toDriverError } from '../sdk/errors.ts';

/** What the target cluster's refusals mean to the one who called the driver; anything else is Internal. */
const codeOfStatus: Readonly<Record<number, Code>> = {
  0: 'Unavailable',
  401: 'Unauthenticated',
  403: 'PermissionDenied',
  409: 'Aborted',
  429: 'Unavailable',
  500: 'Unavailable',
  502: 'Unavailable',
  503: 'Unavailable',
  504: 'Unavailable',
};

/** Whatever ended a call, as the DriverError that the caller gets; a call whose signal aborted is DeadlineExceeded. */
export function callError(thrown: unknown, { what, signal }: { what: string; signal: AbortSignal }): DriverError {
  if (thrown instanceof DriverError) return thrown;
  if (signal.aborted) return new DriverError('DeadlineExceeded', `${what} was cut short`, { cause: thrown });
  if (!(thrown instanceof ApiError)) return toDriverError(thrown);
  const code = thrown.reason === 'DeadlineExceeded' ? 'DeadlineExceeded' : (codeOfStatus[thrown.status] ?? 'Internal');
  return new DriverError(code, `${what}: ${thrown.message}`, { cause: thrown });
}
