import {
  isArrayLiteralExpression,
  isBlock,
  isCallExpression,
  isFunctionLikeDeclaration,
  isMethodSignatureDeclaration,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { at, type Finding, type Source } from './source.ts';

const MOST_LINES = 40;
const MOST_PARAMETERS = 3;
const DEEPEST = 3;

const BRANCHING: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.IfStatement,
  SyntaxKind.ForStatement,
  SyntaxKind.ForInStatement,
  SyntaxKind.ForOfStatement,
  SyntaxKind.WhileStatement,
  SyntaxKind.DoStatement,
  SyntaxKind.SwitchStatement,
  SyntaxKind.TryStatement,
]);

/** Finds functions that are too long, take too much or nest too deep. */
export const functionsLint = (source: Source): Finding[] => [
  ...source.nodes.filter((node) => linesOf(source, node) > MOST_LINES).map((node) => tooLong(source, node)),
  ...source.nodes.filter((node) => parametersOf(source, node) > MOST_PARAMETERS).map((node) => tooMany(source, node)),
  ...source.nodes.filter((node) => depthOf(node) === DEEPEST + 1).map((node) => tooDeep(source, node)),
];

/** Lines of each function of the file, for the summary. */
export const functionLengths = (source: Source): number[] =>
  source.nodes.map((node) => linesOf(source, node)).filter((lines) => lines > 0);

const tooLong = (source: Source, node: Node): Finding =>
  at(source, node, `the function has ${linesOf(source, node)} lines, at most ${MOST_LINES} are readable: split it`);

const tooMany = (source: Source, node: Node): Finding =>
  at(source, node, `${parametersOf(source, node)} parameters are more than ${MOST_PARAMETERS}: take one object`);

const tooDeep = (source: Source, node: Node): Finding =>
  at(source, node, `nested deeper than ${DEEPEST}: return early, or name the inner part as a function`);

/** 0 for what is no function. In tests, a suite is a list of functions and counts as none, and tables are left aside. */
function linesOf({ tree, path }: Source, node: Node): number {
  if (!isFunctionLikeDeclaration(node) || node.body === undefined || (isTest(path) && isSuite(node))) return 0;
  const line = (position: number) => tree.getLineAndCharacterOfPosition(position).line;
  const breaks = (one: Node) => line(one.getEnd()) - line(one.getStart(tree));
  return breaks(node) + 1 - (isTest(path) ? tablesIn(node).reduce((sum, table) => sum + breaks(table), 0) : 0);
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
function parametersOf({ path }: Source, node: Node): number {
  if (!isFunctionLikeDeclaration(node) && !isMethodSignatureDeclaration(node)) return 0;
  return isTest(path) && isCallExpression(node.parent) ? 0 : node.parameters.length;
}

/** How many branching statements, itself included, hold this one within its function; 0 for any other node. */
function depthOf(node: Node): number {
  if (!BRANCHING.has(node.kind) || isElseIf(node)) return 0;
  let depth = 1;
  for (let outer = node.parent; outer !== undefined && !isFunctionLikeDeclaration(outer); outer = outer.parent) {
    if (BRANCHING.has(outer.kind) && !isElseIf(outer)) depth++;
  }
  return depth;
}

/** `else if` goes on with its `if` on the same level. */
const isElseIf = (node: Node): boolean =>
  node.kind === SyntaxKind.IfStatement && node.parent.kind === SyntaxKind.IfStatement;

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
