import { beginning } from '../cuttext.ts';

/** One reason among several of a refusal (metav1 StatusCause). */
export interface StatusCause {
  field?: string;
  message?: string;
  reason?: string;
}

/** What a refusal was about (metav1 StatusDetails). */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

interface ApiErrorFields {
  status: number;
  reason: string;
  details?: StatusDetails | undefined;
  retryAfterMs?: number | undefined;
  mayHaveActed?: boolean;
  code?: string | undefined;
  cause?: unknown;
}

/** A call to an API server that failed. The message says what was tried on what, and what came of it. */
export class ApiError extends Error {
  /** HTTP status code; 0 when there was no answer. */
  readonly status: number;
  /**
   * `reason` of the server's Status; without one what its code means, NotServed for 404; without an answer NetworkError,
   * DeadlineExceeded or CredentialsFailed.
   */
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** How long the server wants to be left alone, milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The server may have done all the same what was asked: the request was on its way when it failed. */
  readonly mayHaveActed: boolean;
  /** What a connection failed with, as ECONNREFUSED; undefined for an answer, and where nothing says so. */
  readonly code: string | undefined;

  constructor(message: string, fields: ApiErrorFields) {
    super(message, { cause: fields.cause });
    this.name = 'ApiError';
    this.status = fields.status;
    this.reason = fields.reason;
    this.details = fields.details;
    this.retryAfterMs = fields.retryAfterMs;
    this.mayHaveActed = fields.mayHaveActed ?? false;
    this.code = fields.code;
  }
}

const hasReason =
  (...reasons: string[]) =>
  (error: unknown): error is ApiError =>
    error instanceof ApiError && reasons.includes(error.reason);

/** The object is not there, as the API server itself says: a 404 without a Status is NotServed. */
export const isNotFound = hasReason('NotFound');
/** Somebody else changed the object first, or a precondition does not hold. */
export const isConflict = hasReason('Conflict');
/** There is an object of that name. */
export const isAlreadyExists = hasReason('AlreadyExists');
/** The resourceVersion or the continue token is too old. */
export const isGone = hasReason('Gone', 'Expired');
/** The object breaks its schema or a rule. */
export const isInvalid = hasReason('Invalid');
/** RBAC or admission says no. */
export const isForbidden = hasReason('Forbidden');
/** A ValidatingAdmissionPolicy of the API server says no, in its words. */
export const isDeniedByPolicy = (error: unknown): error is ApiError =>
  (isForbidden(error) || isInvalid(error)) &&
  ["ValidatingAdmissionPolicy '", 'denied request'].every((part) => error.message.includes(part));
/** The credentials are not accepted. */
export const isUnauthorized = hasReason('Unauthorized');
/** The server wants to be left alone for a while, or a disruption budget forbids an eviction. */
export const isThrottled = hasReason('TooManyRequests');
/** No answer came: the connection failed, the deadline passed, or there was nothing to prove who calls. */
export const isUnanswered = hasReason('NetworkError', 'DeadlineExceeded', 'CredentialsFailed');

/** 4xx all the same: the server has not judged, and may do so the next time. */
const UNJUDGED: ReadonlySet<number> = new Set([401, 408, 425, 429]);
/** The request was about an object that is not as it was thought. */
const ABOUT_ANOTHER: ReadonlySet<number> = new Set([404, 409, 410]);

/** The request was not judged: no answer came, or the server, or an admission webhook, was not able to judge it. */
export const isUnjudged = (error: unknown): boolean =>
  error instanceof ApiError && (error.status < 400 || error.status >= 500 || UNJUDGED.has(error.status));
/** The server has judged the request and refused it: the same request again gets the same answer. */
export const isJudged = (error: unknown): error is ApiError =>
  error instanceof ApiError && !isUnjudged(error) && !ABOUT_ANOTHER.has(error.status);
/** The server, or a webhook of somebody's, was not able to do what was asked. */
export const isFailure = (error: unknown): error is ApiError => error instanceof ApiError && error.status >= 500;
/** A write was answered with anything but yes, and not because somebody else was first, or too many ask. */
export const isRefused = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status >= 400 && !isConflict(error) && !isThrottled(error);
/** A disruption budget's refusal; an API server with too much to do says 429 as well, but gives no cause. */
export const isRefusedByBudget = (error: unknown): error is ApiError =>
  isThrottled(error) && (error.details?.causes?.some(({ reason }) => reason === 'DisruptionBudget') ?? false);

/** The parts of a call that its failures speak of. */
export interface Attempt {
  /** For people: verb, resource and name, as in `patch machines/status farm/m1`. */
  what: string;
  /** HTTP method. */
  method: string;
}

/**
 * Reasons for answers that carry no Status, as a proxy's do (metav1 StatusReason). A 404 of that kind is about the path: the server that
 * answers it need not be the one that stores the objects, so it does not prove that an object is gone. Nor is a 410 about a version, unless
 * it says so.
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
export interface ErrorResponse {
  status: number;
  headers: Headers;
  body: string;
}

/** The error that a refused call is. Only a Status is quoted: any other text may be of a server that is none of Kubernetes. */
export function statusError(attempt: Attempt, { status, headers, body }: ErrorResponse, now: number): ApiError {
  return errorOfStatus(attempt, { ...statusIn(body), code: status }, retryAfter(headers, now));
}

/** The error that a Status is, be it an answer or an event of a watch. */
export function errorOfStatus({ what, method }: Attempt, status: Status, retryAfterMs?: number): ApiError {
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
export function connectionError({ what, method }: Attempt, cause: unknown): ApiError {
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
export function timeoutError({ what, method }: Attempt, ms: number): ApiError {
  const message = `${what}: no answer within ${ms / 1000} s`;
  return new ApiError(message, { status: 0, reason: 'DeadlineExceeded', mayHaveActed: method !== 'GET' });
}

/** The error of a call for which no credentials could be obtained. */
export function credentialsError({ what }: Attempt, cause: unknown): ApiError {
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
