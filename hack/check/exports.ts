import {
  isClassDeclaration,
  isFunctionDeclaration,
  isInterfaceDeclaration,
  isTypeAliasDeclaration,
  isVariableStatement,
  type Node,
  type Statement,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { at, type Finding, type Source } from './source.ts';

/** Finds exports that nobody explains. */
export const exportsLint = (source: Source): Finding[] =>
  undocumented(source).map((node) =>
    at(source, node, 'an exported thing needs a docstring: what it is, units, shapes, errors'),
  );

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
