import { dirname, join } from 'node:path/posix';
import {
  isBindingElement,
  isCallExpression,
  isExportDeclaration,
  isIdentifier,
  isImportDeclaration,
  isNamedImports,
  isStringLiteral,
  isVariableStatement,
  type Node,
  type Statement,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { at, type Finding, type Source } from './source.ts';

const PROGRAMS = /^(controller|schemas|webhook)\//;
const TESTS = /(\.(test|fake|fixture)\.ts$)|^test\//;

/** Stands for every name of a file: it is imported whole. */
const EVERY = '*';

/** Finds what the programs export and never use, whatever tests do with it. What its own file uses may be exported for a test. */
export function unusedLint(sources: readonly Source[]): Finding[] {
  const byPrograms = importedBy(sources.filter(({ path }) => !TESTS.test(path)));
  const byTests = importedBy(sources.filter(({ path }) => TESTS.test(path)));
  return sources
    .filter(({ path }) => PROGRAMS.test(path) && !TESTS.test(path))
    .flatMap((source) =>
      exportsOf(source).flatMap(({ name, node }) => {
        if (isImported(byPrograms, source.path, name) || isUsedInside(source, name)) return [];
        return [at(source, node, complaintOf(name, isImported(byTests, source.path, name)))];
      }),
    );
}

const complaintOf = (name: string, tested: boolean): string =>
  tested ? `only tests use ${name}: remove it, or move it to a *.fixture.ts` : `nobody uses ${name}: remove it`;

type Imported = ReadonlySet<string>;

const isImported = (imported: Imported, path: string, name: string): boolean =>
  imported.has(`${path} ${name}`) || imported.has(`${path} ${EVERY}`);

/** `path name` for each name that the files import. */
const importedBy = (sources: readonly Source[]): Imported =>
  new Set(
    sources.flatMap(({ path, nodes }) =>
      nodes.flatMap((node) => {
        const from = specifierOf(node);
        if (from === undefined || !from.startsWith('.')) return [];
        return namesOf(node).map((name) => `${join(dirname(path), from)} ${name}`);
      }),
    ),
  );

function specifierOf(node: Node): string | undefined {
  const lazy = isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword;
  const specifier =
    isImportDeclaration(node) || isExportDeclaration(node)
      ? node.moduleSpecifier
      : lazy
        ? node.arguments[0]
        : undefined;
  return specifier !== undefined && isStringLiteral(specifier) ? specifier.text : undefined;
}

function namesOf(node: Node): string[] {
  if (!isImportDeclaration(node)) return [EVERY];
  const bindings = node.importClause?.namedBindings;
  if (bindings === undefined || !isNamedImports(bindings)) return [EVERY];
  return bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text);
}

interface Export {
  name: string;
  node: Node;
}

const exportsOf = ({ tree }: Source): Export[] =>
  tree.statements
    .filter(isExported)
    .flatMap((statement) => declaredBy(statement).map((node) => ({ name: node.text, node })));

const isExported = (node: Statement): boolean =>
  'modifiers' in node &&
  Array.isArray(node.modifiers) &&
  node.modifiers.some(({ kind }: Node) => kind === SyntaxKind.ExportKeyword);

type Named = Node & { text: string };

function declaredBy(node: Node): Named[] {
  if (isVariableStatement(node)) return node.declarationList.declarations.flatMap(({ name }) => bound(name));
  return 'name' in node ? bound(node.name as Node) : [];
}

function bound(name: Node): Named[] {
  if (isIdentifier(name)) return [name];
  const found: Named[] = [];
  name.forEachChild((child) => {
    if (isBindingElement(child) && child.name) found.push(...bound(child.name));
  });
  return found;
}

/** Whether the name stands more than once in its file. */
const isUsedInside = ({ nodes }: Source, name: string): boolean =>
  nodes.filter((node) => isIdentifier(node) && node.text === name).length > 1;
