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

/** Nobody has judged the request: no answer came, or the server, or a webhook of somebody's, was not able to. */
export const isUnjudged = (error: unknown): boolean =>
  error instanceof ApiError && (error.status < 400 || error.status >= 500 || UNJUDGED.has(error.status));
/** The server has judged the request and said no: who asks again at once is told the same. */
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
