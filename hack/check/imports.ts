import { dirname, join } from 'node:path/posix';
import {
  isCallExpression,
  isExportDeclaration,
  isImportDeclaration,
  isStringLiteral,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { type Extent, type Room, rooms } from './rooms.ts';
import { at, type Finding, type Source } from './source.ts';

/** An import of a file. */
interface Import {
  node: Node;
  /** As written, for example `../flow.ts` or `valibot`. */
  from: string;
  extent: Extent;
}

/** Finds imports that the table in rooms.ts does not allow. */
export const importsLint = (source: Source): Finding[] =>
  importsOf(source).flatMap((one) => {
    const message = one.from.startsWith('.') ? ownFault(source.path, one) : packageFault(source.path, one);
    return message === undefined ? [] : [at(source, one.node, message)];
  });

/** What a file imports, re-exports, or imports when it is needed. */
export function importsOf({ nodes }: Source): Import[] {
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
  if (isFree(path)) return undefined;
  if (isFree(target)) return `code that is run may not import tests or hack ('${from}')`;
  const [room, below] = [roomOf(path), roomOf(target)];
  if (!room) return `${path} is in no room of hack/check/rooms.ts`;
  if (!below) return isOfProject(target) ? undefined : `'${from}' is in no room of hack/check/rooms.ts`;
  const message = roomFault(room, below, { target, extent });
  return message && `${room.folder} may not import '${from}'${message}`;
}

/** Why a room may not import a file of another; undefined if it may. */
function roomFault(
  room: Room,
  other: Room,
  { target, extent }: { target: string; extent: Extent },
): string | undefined {
  if (room === other) return undefined;
  if (rooms.indexOf(room) > rooms.indexOf(other)) return `: ${other.folder} is above it`;
  if (room.kind && other.kind && room.kind !== other.kind)
    return ': no kind knows another; what two of them need is below both';
  if (room.sees && !room.sees.test(target)) return ': it sees nothing of that program, or of what is around it';
  if (room.pure && !isKnownToAll(other) && extent !== 'types') return ' but as types: decisions are pure';
  return undefined;
}

/** Decisions, and shapes and values that depend on nothing. */
const isKnownToAll = ({ folder, pure }: Room): boolean => pure === true || folder === 'schemas';

function packageFault(path: string, { from, extent }: Import): string | undefined {
  if (/^(node|bun):|^bun$/.test(from) || isFree(path)) return undefined;
  const room = roomOf(path);
  const name = from.split('/', from.startsWith('@') ? 2 : 1).join('/');
  const rows = (room?.packages ?? []).filter((row) => row.name === name && (row.files?.test(path) ?? true));
  if (rows.some((row) => covers(row.extent ?? 'all', extent))) return undefined;
  return `${room?.folder ?? path} may not import the package ${name}${only(rows[0]?.extent)}`;
}

/** Tests and tools import what they like. */
const isFree = (path: string): boolean => /\.(test|fake|fixture)\.ts$|^(test|hack)\//.test(path);

/** Files of the top level hold settings of tools, and the version. */
const isOfProject = (path: string): boolean => !path.includes('/');

/** The innermost room that holds the file. */
function roomOf(path: string): Room | undefined {
  const holds = rooms.filter(({ folder }) => path === folder || path.startsWith(`${folder}/`));
  return holds.sort((a, b) => b.folder.length - a.folder.length)[0];
}

const covers = (allowed: Extent, wanted: Extent): boolean => allowed === 'all' || allowed === wanted;

function only(allowed: Extent | undefined): string {
  if (allowed === 'types') return ' but as types';
  return allowed === 'lazy' ? ' but when it is needed, by await import' : '';
}
