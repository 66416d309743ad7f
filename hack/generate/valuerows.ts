import { isMap, isNode, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';

/** One value of the chart, for its reference. */
export interface ValueRow {
  /** Keys from the top, with dots. */
  path: string;
  /** As JSON. */
  fallback: string;
  /** The comment above it that begins with `--`; empty when nobody wrote one. */
  description: string;
}

const MARK = '-- ';

/** The values of values.yaml, in order: a map without a comment of its own is gone into, all else is one value. */
export function valueRows(text: string): ValueRow[] {
  const { contents } = parseDocument(text);
  return isMap(contents) ? rowsOf(contents, '') : [];
}

const rowsOf = (map: YAMLMap, prefix: string): ValueRow[] =>
  map.items.flatMap((pair, index) => rowsOfPair(pair, { prefix, before: index === 0 ? map.commentBefore : undefined }));

/** The comment above the first key of a map belongs to the map, as the parser sees it. */
function rowsOfPair(pair: Pair, { prefix, before }: { prefix: string; before: string | null | undefined }): ValueRow[] {
  const { key, value } = pair;
  const name = isScalar(key) ? String(key.value) : '';
  const path = prefix + name;
  const description = saidIn((isScalar(key) ? key.commentBefore : undefined) ?? before ?? '');
  if (isMap(value) && value.items.length > 0 && description === '') return rowsOf(value, `${path}.`);
  return [{ path, fallback: JSON.stringify(isNode(value) ? value.toJSON() : value), description }];
}

/** What follows the mark; further marks, such as `@link`, and what stands before a blank line are for others. */
function saidIn(comment: string): string {
  const lines = comment.split('\n').map((line) => line.trim());
  return lines.findLast((line) => line.startsWith(MARK))?.slice(MARK.length) ?? '';
}
