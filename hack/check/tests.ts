import {
  isArrayLiteralExpression,
  isBlock,
  isCallExpression,
  isFunctionLikeDeclaration,
  isIdentifier,
  isMethodSignatureDeclaration,
  isPropertyAccessExpression,
  type Node,
} from 'typescript/unstable/ast';
import { at, type Finding, type Source } from './source.ts';

const MOST_LINES = 40;
const MOST_PARAMETERS = 3;

const TEST_WORDS = /^(?:test|it|describe)$/;
const LEFT_OUT = /^(?:only|skip|todo|if|onlyIf|skipIf|todoIf|failing)$/;

/** Rungs of which a machine may lack what a test needs, and how the test asks for that (CONTRIBUTING.md). */
const NEEDING = /^test\/(?:api|chart)\//;
const NEEDS = ['!canBuildGo', '!canContain', '!givenAutoscaler'];

/**
 * Finds tests that are left out, too long or take too much. How long functions of programs are, and what they take, is
 * Biome's to judge (biome.json); it cannot tell a suite or a table of a test from a function, nor what a machine may lack.
 */
export const testsLint = (source: Source): Finding[] =>
  source.nodes.flatMap((node) => {
    const message = leftOut(source, node) ?? (isTest(source.path) ? sizeFault(source, node) : undefined);
    return message === undefined ? [] : [at(source, node, message)];
  });

function sizeFault(source: Source, node: Node): string | undefined {
  const [lines, parameters] = [linesOf(source, node), parametersOf(node)];
  if (lines > MOST_LINES) return `the function has ${lines} lines, at most ${MOST_LINES} are readable: split it`;
  return parameters > MOST_PARAMETERS
    ? `${parameters} parameters are more than ${MOST_PARAMETERS}: take one object`
    : undefined;
}

function leftOut({ path }: Source, node: Node): string | undefined {
  if (!isPropertyAccessExpression(node) || !LEFT_OUT.test(node.name.text)) return undefined;
  if (!isIdentifier(node.expression) || !TEST_WORDS.test(node.expression.text)) return undefined;
  if (node.name.text === 'skipIf' && NEEDING.test(path) && NEEDS.includes(conditionOf(node))) return undefined;
  return `${node.getText()} leaves tests out: each test runs, always`;
}

/** What it depends on whether these tests run. */
const conditionOf = ({ parent }: Node): string =>
  (isCallExpression(parent) ? parent.arguments[0]?.getText() : undefined) ?? '';

/** 0 for what is no function. A suite is a list of functions and counts as none, and tables are left aside. */
function linesOf({ tree }: Source, node: Node): number {
  if (!isFunctionLikeDeclaration(node) || node.body === undefined || isSuite(node)) return 0;
  const line = (position: number) => tree.getLineAndCharacterOfPosition(position).line;
  const breaks = (one: Node) => line(one.getEnd()) - line(one.getStart(tree));
  return breaks(node) + 1 - tablesIn(node).reduce((sum, table) => sum + breaks(table), 0);
}

/** The outermost lists in a function. */
function tablesIn(node: Node): Node[] {
  const found: Node[] = [];
  node.forEachChild((child) => {
    found.push(...(isArrayLiteralExpression(child) ? [child] : tablesIn(child)));
  });
  return found;
}

/** The parameters of a test's callback are the columns of its table: any number. */
function parametersOf(node: Node): number {
  if (!isFunctionLikeDeclaration(node) && !isMethodSignatureDeclaration(node)) return 0;
  return isCallExpression(node.parent) ? 0 : node.parameters.length;
}

const isTest = (path: string): boolean => /\.test\.ts$|^test\//.test(path);

/** A callback of `describe`, or a function that itself registers tests. */
function isSuite(node: Node): boolean {
  const described = isCallExpression(node.parent) && node.parent.expression.getText().startsWith('describe');
  const block =
    isFunctionLikeDeclaration(node) && node.body !== undefined && isBlock(node.body) ? node.body : undefined;
  return (
    described || block?.statements.some((statement) => /^(?:test|describe)[.(]/.test(statement.getText())) === true
  );
}
