/** So many are named. */
const NAMED = 3;

/** Names for people to read: three of them, and how many others there are. */
export function named(names: readonly string[]): string {
  const others = names.length - NAMED;
  return others > 0 ? `${names.slice(0, NAMED).join(', ')} and ${others} more` : names.join(', ');
}

/** How many others there are: `1 other`, `3 others`. */
export const othersOf = (count: number): string => `${count} other${count === 1 ? '' : 's'}`;

/** What is said of one, and of how many others it is true: `no room (and 1 other)`. */
export const withOthers = (text: string, others: number): string =>
  others > 0 ? `${text} (and ${othersOf(others)})` : text;
