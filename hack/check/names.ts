import {
  isCallExpression,
  isIdentifier,
  isPropertyAccessExpression,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { at, type Finding, type Source } from './source.ts';

/** Words that say nothing about what is inside. */
const EMPTY_WORDS = ['util', 'utils', 'helper', 'helpers', 'misc'];

/** Likewise, but only of a file: `commonName` is a word of certificates. */
const EMPTY_FILE_WORDS = [...EMPTY_WORDS, 'common'];

/** The one file that may bear such a word: shapes shared by the kinds. */
const SHARED_SHAPES = 'schemas/common.ts';

const TEST_WORDS = /^(?:test|it|describe)$/;
const LEFT_OUT = /^(?:only|skip|todo|if|onlyIf|skipIf|todoIf|failing)$/;

/** Rungs of which a machine may lack what a test needs, and how the test asks for that (CONTRIBUTING.md). */
const NEEDING = /^test\/(?:api|chart)\//;
const NEEDS = ['!canBuildGo', '!canContain', '!givenAutoscaler'];

/** Finds names that say nothing, the type `any`, and tests that are left out. */
export const namesLint = (source: Source): Finding[] => [
  ...emptyFileName(source),
  ...source.nodes.flatMap((node) => {
    const says = emptyName(node) ?? looseType(node) ?? leftOut(source, node);
    return says === undefined ? [] : [at(source, node, says)];
  }),
];

function emptyFileName({ path }: Source): Finding[] {
  const word = path === SHARED_SHAPES ? undefined : wordOf(path, EMPTY_FILE_WORDS);
  return word === undefined
    ? []
    : [{ path, line: 1, says: `"${word}" in a file's name says nothing of what is inside` }];
}

function emptyName(node: Node): string | undefined {
  if (!isIdentifier(node) || !('name' in node.parent) || node.parent.name !== node) return undefined;
  if (isPropertyAccessExpression(node.parent) || node.parent.kind === SyntaxKind.ImportSpecifier) return undefined;
  const word = wordOf(node.text, EMPTY_WORDS);
  return word === undefined ? undefined : `"${word}" in the name ${node.text} says nothing: name what it is or does`;
}

const looseType = (node: Node): string | undefined =>
  node.kind === SyntaxKind.AnyKeyword ? '`any` switches the compiler off: say the type, or unknown' : undefined;

function leftOut({ path }: Source, node: Node): string | undefined {
  if (!isPropertyAccessExpression(node) || !LEFT_OUT.test(node.name.text)) return undefined;
  if (!isIdentifier(node.expression) || !TEST_WORDS.test(node.expression.text)) return undefined;
  if (node.name.text === 'skipIf' && NEEDING.test(path) && NEEDS.includes(conditionOf(node))) return undefined;
  return `${node.getText()} leaves tests out: each test runs, always`;
}

/** What it depends on whether these tests run. */
const conditionOf = ({ parent }: Node): string =>
  (isCallExpression(parent) ? parent.arguments[0]?.getText() : undefined) ?? '';

/** The first of `words` in a name, which is split at every sign and every capital letter. */
const wordOf = (name: string, words: readonly string[]): string | undefined =>
  name
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .split(/[^a-z]+/)
    .find((word) => words.includes(word));
