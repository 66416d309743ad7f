/** How it is known that somebody heeds a field. */
export type Heeded =
  /** What is decided, seen or made without the field, and with it: the two differ. */
  | (() => readonly [without: unknown, withIt: unknown])
  /** Only a driver that can acts on it; others have it refused by the rules of these ids, and told of (schemas/rules/drivenfields.ts). */
  | { driven: readonly string[] }
  /** Shown by a test with this title. */
  | { file: string; title: string }
  /** Nobody heeds it, and its sentence says so, in these words. */
  | { unheeded: string };

/** Fields by their path in the reference; one that ends with `.**` holds for all that is below as well. */
export type HeededFields = Readonly<Record<string, Heeded>>;
