/** One reason among several of a refused request (metav1 StatusCause). */
export interface StatusCause {
  field?: string;
  message?: string;
  reason?: string;
}

/** What a refused request was about (metav1 StatusDetails). */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** A call to an API server that failed. The message says what was tried on what, and what the server said to it. */
export class ApiError extends Error {
  /** HTTP status code, 0 when there was no answer. */
  readonly status: number;
  /** `reason` of the server's Status; `NetworkError` or `DeadlineExceeded` when there was no answer. */
  readonly reason: string;
  readonly details?: StatusDetails;
  /** How long the server wants to be left alone, milliseconds. */
  readonly retryAfterMs?: number;
  /** The server may have done what was asked all the same: the answer was lost, or it broke on the way. */
  readonly mayHaveActed: boolean;

  constructor(message: string, options: Omit<ApiErrorFields, 'message'> & { cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'ApiError';
    this.status = options.status;
    this.reason = options.reason;
    if (options.details) this.details = options.details;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
    this.mayHaveActed = options.mayHaveActed;
  }
}

/** The facts that an ApiError carries. */
type ApiErrorFields = Pick<ApiError, 'message' | 'status' | 'reason' | 'details' | 'retryAfterMs' | 'mayHaveActed'>;

const withReason =
  (...reasons: string[]) =>
  (error: unknown): error is ApiError =>
    error instanceof ApiError && reasons.includes(error.reason);

/** The object, or the whole resource, is not there. */
export const isNotFound = withReason('NotFound');
/** Somebody else changed the object first, or a precondition does not hold. */
export const isConflict = withReason('Conflict');
/** An object of that name is there. */
export const isAlreadyExists = withReason('AlreadyExists');
/** The resourceVersion or the continue token is too old. */
export const isGone = withReason('Gone', 'Expired');
/** The object breaks its schema or a rule. */
export const isInvalid = withReason('Invalid');
/** RBAC or admission says no. */
export const isForbidden = withReason('Forbidden');
/** The credentials are not accepted. */
export const isUnauthorized = withReason('Unauthorized');
/** The server wants to be left alone for a while. */
export const isThrottled = withReason('TooManyRequests');
/** No answer came: the connection failed or the deadline passed. */
export const isUnanswered = withReason('NetworkError', 'DeadlineExceeded');
