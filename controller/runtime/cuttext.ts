/**
 * The first characters of a text. What `slice` makes keeps the whole text in memory for as long as it is kept itself: from
 * what others wrote, that is more than may be kept (hack/decisions/0028 T56).
 */
export const beginning = (text: string, most: number): string =>
  text.length <= most ? text : Buffer.from(text.slice(0, most)).toString();
