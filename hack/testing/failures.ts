/** So much of a failure's message is repeated: the rest stands where the test ran. */
const MOST_CHARACTERS = 300;

/**
 * What failed according to a JUnit report of `bun test`: one text a test, `file > group > test: message`. A run's last lines
 * repeat them, for whoever sees only the end of a long log.
 */
export function failuresIn(report: string): string[] {
  const found = report.matchAll(/<testcase ([^>]*[^/])>\s*<failure([^>]*)>/g);
  return [...found].map(([, test = '', failure = '']) => {
    const groups = attribute(test, 'classname').split(' > ').reverse();
    const path = [attribute(test, 'file'), ...groups, attribute(test, 'name')].filter(Boolean).join(' > ');
    return `${path}: ${shortened(attribute(failure, 'message'))}`;
  });
}

const attribute = (text: string, name: string): string =>
  plain(new RegExp(`(?:^| )${name}="([^"]*)"`).exec(text)?.[1] ?? '');

const shortened = (message: string): string =>
  message.length > MOST_CHARACTERS ? `${message.slice(0, MOST_CHARACTERS)} …` : message;

/** The text behind an attribute of XML, on one line. */
const plain = (text: string): string =>
  text
    .replaceAll(/(?:&#10;)+/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&')
    .trim();
