import {
  isClassDeclaration,
  isExportAssignment,
  isExportDeclaration,
  isFunctionDeclaration,
  isImportDeclaration,
  isInterfaceDeclaration,
  isTypeAliasDeclaration,
  isVariableStatement,
  type Node,
  type Statement,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { at, type Finding, type Source } from './source.ts';

/** Finds default exports, files that only re-export, and exports that nobody explains. */
export const exportsLint = (source: Source): Finding[] => [
  ...source.tree.statements
    .filter(isDefault)
    .map((node) => at(source, node, 'a default export has no name of its own: export by name')),
  ...(isBarrel(source) ? [at(source, source.tree, 'the file only re-exports: import from where things are')] : []),
  ...undocumented(source).map((node) =>
    at(source, node, 'an exported thing needs a docstring: what it is, units, shapes, errors'),
  ),
];

const isDefault = (node: Statement): boolean =>
  (isExportAssignment(node) && node.isExportEquals !== true) || hasModifier(node, SyntaxKind.DefaultKeyword);

function isBarrel({ tree: { statements } }: Source): boolean {
  const reExports = statements.filter(isExportDeclaration);
  return reExports.length > 0 && statements.every((node) => isExportDeclaration(node) || isImportDeclaration(node));
}

/** A docstring covers its statement and those that follow without an empty line: a group is explained once. */
function undocumented(source: Source): Statement[] {
  const found: Statement[] = [];
  let covered = false;
  for (const statement of source.tree.statements) {
    const documented = statement.jsDoc !== undefined && statement.jsDoc.length > 0;
    covered = documented || (covered && !hasGapBefore(source, statement));
    if (!covered && needsDocstring(statement)) found.push(statement);
  }
  return found;
}

const needsDocstring = (node: Statement): boolean =>
  hasModifier(node, SyntaxKind.ExportKeyword) &&
  !hasModifier(node, SyntaxKind.DefaultKeyword) &&
  (isFunctionDeclaration(node) || isClassDeclaration(node) || isVariableStatement(node) || isBareType(node));

/** A type of one line, or with explained members, says enough by itself. */
function isBareType(node: Statement): boolean {
  const text = isInterfaceDeclaration(node) || isTypeAliasDeclaration(node) ? node.getText() : '';
  return text.includes('\n') && !text.includes('/**');
}

const hasGapBefore = ({ text }: Source, node: Node): boolean =>
  /\n\s*\n/.test(text.slice(node.getFullStart(), node.getStart()));

const hasModifier = (node: Node, kind: SyntaxKind): boolean =>
  'modifiers' in node && Array.isArray(node.modifiers) && node.modifiers.some((modifier) => modifier.kind === kind);
