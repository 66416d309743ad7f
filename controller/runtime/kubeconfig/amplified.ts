/** How long the kubeconfig of a Secret may be, characters. */
const LONGEST = 65_536;

/** What YAML refers to (an anchor), and what refers to it (an alias): neither can be written otherwise. */
const ANCHOR = /(?:^|\W)&[^\s,[\]{}]/;
const ALIAS = /(?:^|\W)\*[^\s,[\]{}]/;

/**
 * What no parser takes for more than text, so that & and * in it are no anchors. A comment with quotes in it may end a text that began lines
 * before, so it stays; so do all quoted texts when one stands elsewhere than alone behind its key.
 */
const QUOTED =
  /^[ -]*[A-Za-z0-9_][A-Za-z0-9_.-]*: +(?:"[^"'\\\r\u0085\u2028\u2029]*"|'[^"'\\\r\u0085\u2028\u2029]*')[ \t]*$/;
const QUOTE = /["']/;
const ENDS_COMMENT = ['"', "'", '\r', '\u0085', '\u2028', '\u2029'];

/** In double quotes `<` may be written by its number, and what stands in a line may go on in the next one. */
const NUMBERED = /\\(?:x3c|u003c|U0000003c)/gi;
const GOES_ON = /\\\s*[\r\n]\s*/g;

/** The key `<<` by itself, quoted or not. */
const MERGE = /(?:^|[\s"'{}[\],:?!&*|>-])<<(?:$|[\s"'{}[\],:#])/;
const ENDS_AS_MERGE = /<<(?:$|["'{}[\],:#])/;

/**
 * Refuses a text of YAML that is long, or that takes the parser much more than its length: where one part stands for another a
 * short one becomes large, and maps that are merged into maps, with `<<` and without any anchor, are copied once for each level. No
 * tool writes such a kubeconfig. Looks at the text alone, before it is parsed, in time that is linear in its length. Throws
 * an Error that says what to do (hack/decisions/0033).
 */
export function refuseAmplified(text: string): void {
  if (text.length > LONGEST)
    throw new Error(`it has more than ${LONGEST} characters: keep one context, and what it names`);
  if (repeats(text))
    throw new Error(
      'it has anchors and aliases (&a, *a), or what looks like them, which is not read: write out each part; in a quoted text write & as "\\x26"',
    );
  if (merges(text))
    throw new Error('it has a merge key (<<), or what looks like one, which is not read: write out each part');
}

function repeats(text: string): boolean {
  if (!hasBoth(text) || isJson(text)) return false;
  const lines = text.split(/\r?\n/).map(withoutComment);
  const isPlain = lines.every((line) => !QUOTE.test(line) || QUOTED.test(line));
  return hasBoth((isPlain ? lines.filter((line) => !QUOTE.test(line)) : lines).join('\n'));
}

function withoutComment(line: string): string {
  const from = 1 + Math.max(...ENDS_COMMENT.map((end) => line.lastIndexOf(end)));
  for (let at = line.indexOf('#', from); at >= 0; at = line.indexOf('#', at + 1))
    if (at === 0 || /[ \t]/.test(line.charAt(at - 1))) return line.slice(0, at);
  return line;
}

const hasBoth = (text: string): boolean => ANCHOR.test(text) && ALIAS.test(text);

/** There all texts are quoted. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function merges(text: string): boolean {
  const plain = text.replace(GOES_ON, '').replace(NUMBERED, '<');
  return MERGE.test(plain) || plain.split(/\s/).some(mergesBehindTag);
}

/** The parser ends a tag, as `!a`, where `<` begins. */
function mergesBehindTag(word: string): boolean {
  const tag = word.indexOf('!');
  return tag >= 0 && ENDS_AS_MERGE.test(word.slice(tag));
}
