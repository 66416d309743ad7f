import { isIdentifier, isPropertyAccessExpression, type Node, SyntaxKind } from 'typescript/unstable/ast';
import { at, type Finding, type Source } from './source.ts';

/** Words that say nothing about what is inside. */
const EMPTY_WORDS = ['util', 'utils', 'helper', 'helpers', 'misc'];

/** Likewise, but only of a file: `commonName` is a word of certificates. */
const EMPTY_FILE_WORDS = [...EMPTY_WORDS, 'common'];

/** The one file that may bear such a word: shapes shared by the kinds. */
const SHARED_SHAPES = 'schemas/common.ts';

/** Finds names that say nothing. */
export const namesLint = (source: Source): Finding[] => [
  ...emptyFileName(source),
  ...source.nodes.flatMap((node) => {
    const message = emptyName(node);
    return message === undefined ? [] : [at(source, node, message)];
  }),
];

function emptyFileName({ path }: Source): Finding[] {
  const word = path === SHARED_SHAPES ? undefined : wordOf(path, EMPTY_FILE_WORDS);
  return word === undefined
    ? []
    : [{ path, line: 1, message: `"${word}" in a file's name says nothing of what is inside` }];
}

function emptyName(node: Node): string | undefined {
  if (!isIdentifier(node) || !('name' in node.parent) || node.parent.name !== node) return undefined;
  if (isPropertyAccessExpression(node.parent) || node.parent.kind === SyntaxKind.ImportSpecifier) return undefined;
  const word = wordOf(node.text, EMPTY_WORDS);
  return word === undefined ? undefined : `"${word}" in the name ${node.text} says nothing: name what it is or does`;
}

/** The first of `words` in a name, which is split at every sign and every capital letter. */
const wordOf = (name: string, words: readonly string[]): string | undefined =>
  name
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .split(/[^a-z]+/)
    .find((word) => words.includes(word));
