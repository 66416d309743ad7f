import { beginning } from '../cuttext.ts';
import { ApiError, type StatusDetails } from './errors.ts';

/** The parts of a call that its failures speak of. */
export interface Attempt {
  /** For people: verb, resource and name, as in `patch machines/status farm/m1`. */
  what: string;
  /** HTTP method. */
  method: string;
}

/**
 * Reasons for answers that carry no Status, as a proxy's do (metav1 StatusReason). A 404 of that kind is about the path: who
 * gives it has no such object, but need not be who keeps the objects, so that nobody may conclude that one is gone. Nor is a
 * 410 about a version, unless it says so.
 */
const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotServed',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** What Bun's fetch, and our own search for addresses, say when a connection could not be made, so that nothing of the request left. */
const UNCONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPROTO',
  'FailedToOpenSocket',
  'ERR_ADDRESS_REFUSED',
  'ERR_OTHER_CLUSTER',
  'ERR_CLUSTER_UNKNOWN',
]);

const isUnconnected = (code: string): boolean =>
  UNCONNECTED.has(code) ||
  ['DNS_', 'EAI_', 'ERR_TLS_'].some((start) => code.startsWith(start)) ||
  ['CERT', 'SIGNATURE'].some((part) => code.includes(part));

/** Longest piece of a server's own words in a message, in characters. */
const QUOTED = 1024;

/** What a reason looks like. */
const REASON = /^[A-Za-z]{1,64}$/;

/** What the server says of a call that it refused (metav1 Status). */
export interface Status {
  kind?: string;
  code?: number;
  message?: string;
  reason?: string;
  details?: StatusDetails;
}

/** An answer with a code of 300 or above. */
export interface Refusing {
  status: number;
  headers: Headers;
  body: string;
}

/** The error that a refused call is. Only a Status is quoted: any other text may be of a server that is none of Kubernetes. */
export function refusal(attempt: Attempt, { status, headers, body }: Refusing, now: number): ApiError {
  return refusalBy(attempt, { ...statusIn(body), code: status }, retryAfter(headers, now));
}

/** The error that a Status is, be it an answer or an event of a watch. */
export function refusalBy({ what, method }: Attempt, status: Status, retryAfterMs?: number): ApiError {
  const code = status.code ?? 500;
  const reason = REASON.test(status.reason ?? '') ? String(status.reason) : (reasons[code] ?? 'Unknown');
  const says = status.message ? `: ${beginning(String(status.message), QUOTED)}` : '';
  return new ApiError(`${what}: ${code} ${reason}${says}`, {
    status: code,
    reason,
    details: status.details,
    retryAfterMs,
    mayHaveActed: code >= 500 && method !== 'GET',
  });
}

/** The error that a call without a whole answer is. */
export function broken({ what, method }: Attempt, cause: unknown): ApiError {
  const { code = '', message } = cause as { code?: string; message: string };
  const mayHaveActed = method !== 'GET' && !isUnconnected(code);
  const outcome = mayHaveActed ? ' (the server may have acted all the same)' : '';
  return new ApiError(`${what}: no usable answer${outcome}: ${message}`, {
    status: 0,
    reason: 'NetworkError',
    mayHaveActed,
    ...(/^\w{1,64}$/.test(code) && { code }),
    cause,
  });
}

/** The error of a call that timed out. */
export function late({ what, method }: Attempt, ms: number): ApiError {
  const message = `${what}: no answer within ${ms / 1000} s`;
  return new ApiError(message, { status: 0, reason: 'DeadlineExceeded', mayHaveActed: method !== 'GET' });
}

/** The error of a call for which no credentials could be obtained. */
export function unproven({ what }: Attempt, cause: unknown): ApiError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new ApiError(`${what}: no credentials: ${message}`, { status: 0, reason: 'CredentialsFailed', cause });
}

function statusIn(text: string): Status | undefined {
  try {
    const body = JSON.parse(text) as Status | null;
    return body?.kind === 'Status' ? body : undefined;
  } catch {
    return undefined;
  }
}

/** Seconds or a date (RFC 9110, 10.2.3) as milliseconds from now. */
function retryAfter(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
