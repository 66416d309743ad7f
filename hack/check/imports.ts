import { dirname, join } from 'node:path/posix';
import {
  isCallExpression,
  isExportDeclaration,
  isImportDeclaration,
  isStringLiteral,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { at, type Finding, type Source } from './source.ts';
import { type Extent, type Zone, zones } from './zones.ts';

interface Import {
  node: Node;
  /** As written, for example `../flow.ts` or `valibot`. */
  from: string;
  extent: Extent;
}

/** Finds imports that the table in zones.ts does not allow. */
export const importsLint = (source: Source): Finding[] =>
  importsOf(source).flatMap((one) => {
    const says = one.from.startsWith('.') ? ownFault(source.path, one) : packageFault(source.path, one);
    return says === undefined ? [] : [at(source, one.node, says)];
  });

function importsOf({ nodes }: Source): Import[] {
  return nodes.flatMap((node) => {
    if (isImportDeclaration(node)) {
      const typesOnly = node.importClause?.phaseModifier === SyntaxKind.TypeKeyword;
      return named(node, node.moduleSpecifier, typesOnly ? 'types' : 'all');
    }
    if (isExportDeclaration(node)) return named(node, node.moduleSpecifier, node.isTypeOnly ? 'types' : 'all');
    const lazy = isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword;
    return lazy ? named(node, node.arguments[0], 'lazy') : [];
  });
}

const named = (node: Node, specifier: Node | undefined, extent: Extent): Import[] =>
  specifier !== undefined && isStringLiteral(specifier) ? [{ node, from: specifier.text, extent }] : [];

function ownFault(path: string, { from, extent }: Import): string | undefined {
  const target = join(dirname(path), from);
  if (!/\.(ts|json)$/.test(from)) return `'${from}' needs its ending .ts`;
  const zone = zoneOf(path);
  const targetZone = zoneOf(target);
  if (zone === undefined || targetZone === undefined) return `'${from}' belongs to no zone of hack/check/zones.ts`;
  if (zone.zones === 'every') return undefined;
  const allowed = zone.zones[targetZone.name];
  if (allowed === 'own' ? sharesFolder(path, target) : covers(allowed, extent)) return undefined;
  return `${zone.name} may not import ${targetZone.name} ('${from}')${only(allowed)}: ${zone.because}`;
}

function packageFault(path: string, { from, extent }: Import): string | undefined {
  if (/^(node|bun):|^bun$/.test(from)) return undefined;
  const zone = zoneOf(path);
  if (zone === undefined || zone.packages === 'every') return undefined;
  const name = from.split('/', from.startsWith('@') ? 2 : 1).join('/');
  const rows = zone.packages.filter((row) => row.name === name && (row.files?.test(path) ?? true));
  if (rows.some((row) => covers(row.extent ?? 'all', extent))) return undefined;
  return `${zone.name} may not import the package ${name}${only(rows[0]?.extent)}: ${zone.because}`;
}

const zoneOf = (path: string): Zone | undefined => zones.find(({ holds }) => holds.test(path));

/** A file that is in no folder of its own, such as the list of drivers, may read all folders. */
const sharesFolder = (path: string, target: string): boolean =>
  folderOf(path) === undefined || folderOf(path) === folderOf(target);

const folderOf = (path: string): string | undefined => zoneOf(path)?.holds.exec(path)?.[1];

const covers = (allowed: Extent | undefined, wanted: Extent): boolean =>
  allowed === 'all' || (allowed !== undefined && allowed === wanted);

function only(allowed: Extent | 'own' | undefined): string {
  if (allowed === 'own') return ' of another folder';
  if (allowed === 'types') return ' but as types';
  return allowed === 'lazy' ? ' but when it is needed, by await import' : '';
}
