import { ApiError } from './errors.ts';

/** What a call threw, which must be an ApiError. */
export async function errorOf(call: Promise<unknown>): Promise<ApiError> {
  const thrown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof ApiError) return thrown;
  throw new Error(`no ApiError was thrown but ${thrown}`, { cause: thrown });
}
