/** Throws when a text does not hold what it must say. */
export function expectSays(text: string, part: string): void {
  if (!text.includes(part)) throw new Error(`it should say "${part}", and says: ${text}`);
}

/** Throws what is wrong unless it holds. */
export function expectThat(holds: boolean, wrong: string): void {
  if (!holds) throw new Error(wrong);
}
