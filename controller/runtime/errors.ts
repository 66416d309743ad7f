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

/** What is said by a server that did not judge, 4xx all the same. */
const UNJUDGED: ReadonlySet<number> = new Set([401, 404, 408, 409, 410, 425, 429]);

/** The server has judged the request and said no: who asks again at once is told the same. */
export const isJudged = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status >= 400 && error.status < 500 && !UNJUDGED.has(error.status);
