/** What the server says no with (metav1 Status). */
export class Refusal extends Error {
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }

  /** As the body of an answer, and as the object of an ERROR event. */
  get status(): object {
    const { code, reason, message } = this;
    return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason, message };
  }
}

/** The object is not there. */
export const notFound = (what: string): Refusal => new Refusal(404, 'NotFound', `${what} not found`);

/** Somebody changed the object first, or a precondition does not hold. */
export const conflict = (what: string, why: string): Refusal =>
  new Refusal(409, 'Conflict', `Operation cannot be fulfilled on ${what}: ${why}`);

/** The object breaks a rule. */
export const invalid = (what: string, why: string): Refusal =>
  new Refusal(422, 'Invalid', `${what} is invalid: ${why}`);

/** The request makes no sense. */
export const badRequest = (why: string): Refusal => new Refusal(400, 'BadRequest', why);

/** The history before a version is forgotten. */
export const expired = (version: string): Refusal =>
  new Refusal(410, 'Expired', `too old resource version: ${version}`);
