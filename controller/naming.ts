/** So many are named. */
const NAMED = 3;

/** Names for people to read: three of them, and how many others there are. */
export function named(names: readonly string[]): string {
  const others = names.length - NAMED;
  return others > 0 ? `${names.slice(0, NAMED).join(', ')} and ${others} more` : names.join(', ');
}
