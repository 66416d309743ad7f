/** A change as Artifact Hub lists it. */
export interface Change {
  kind: 'added' | 'changed' | 'deprecated' | 'removed' | 'fixed' | 'security';
  description: string;
}

const KINDS: Readonly<Record<string, Change['kind']>> = {
  Added: 'added',
  Changed: 'changed',
  Deprecated: 'deprecated',
  Removed: 'removed',
  Fixed: 'fixed',
  Security: 'security',
};

/**
 * The changes of a release, each by its first sentence and without marks of Markdown. There are none before the changelog
 * has a heading of that version.
 */
export function changesOf(version: string, changelog: string): Change[] {
  const releases = changelog.split(/^## /m).slice(1);
  const release = releases.find((text) => /^\[?([^\s\]]*)/.exec(text)?.[1] === version) ?? '';
  return release.split(/^### /m).flatMap((section) => {
    const [title = '', ...lines] = section.split('\n');
    const kind = KINDS[title.trim()];
    return kind === undefined ? [] : entriesOf(lines.join('\n')).map((description) => ({ kind, description }));
  });
}

const entriesOf = (text: string): string[] =>
  text
    .split(/^- /m)
    .slice(1)
    .map((entry) => firstSentence(plain(entry)));

const plain = (entry: string): string =>
  entry
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*|`/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

const firstSentence = (text: string): string => /^(.*?)(?:[.;](?= )|\.$)/.exec(text)?.[1] ?? text;
