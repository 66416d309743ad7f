/** What went wrong and what was behind it, for people: the messages of an error and its causes, from the outside in. */
export function sentences(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}\n${sentences(error.cause)}`;
}
