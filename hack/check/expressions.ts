import {
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isNoSubstitutionTemplateLiteral,
  isRegularExpressionLiteral,
  isStringLiteral,
  isTemplateExpression,
  isVariableDeclaration,
  type Node,
} from 'typescript/unstable/ast';
import * as valibot from 'valibot';
import { at, type Finding, type Source } from './source.ts';

/** Programs that read what tenants write. */
const PROGRAMS = /^(controller|schemas|webhook)\//;
const TESTS = /\.(test|fake|fixture)\.ts$/;

/** Files whose patterns are matched with what tenants write: kinds, and a driver's providerSpec. */
const SCHEMAS = /^(charts\/drover\/files\/crds\/.*\.yaml|schemas\/providers\/.*\.schema\.json)$/;

/** An expression, and where it stands. */
export interface Expression {
  path: string;
  line: number;
  source: string;
  flags: string;
}

/** Expressions of a program, and findings where the text of one is not constant, so that nobody can judge it. */
export function expressionsIn(source: Source): Array<Expression | Finding> {
  if (!PROGRAMS.test(source.path) || TESTS.test(source.path)) return [];
  const constants = constantsIn(source);
  return source.nodes.flatMap((node) => {
    if (isRegularExpressionLiteral(node)) return [{ ...placeOf(source, node), ...literal(node.text) }];
    const builtIn = builtInOf(node);
    if (builtIn) return [{ ...placeOf(source, node), source: builtIn.source, flags: builtIn.flags }];
    return makesExpression(node) ? [made(source, node, constants)] : [];
  });
}

/** The expression by which a built-in of valibot judges a text, as `v.isoTimestamp()`; undefined for what has none of its own. */
function builtInOf(node: Node): RegExp | undefined {
  if (!isCallExpression(node)) return undefined;
  const [, name] = /^v\.(\w+)$/.exec(node.expression.getText()) ?? [];
  const make: unknown = name?.endsWith('Async')
    ? undefined
    : Object.entries(valibot).find(([key]) => key === name)?.[1];
  return typeof make === 'function' ? requirementOf(make as () => unknown) : undefined;
}

/** What is made without arguments shows its expression; what needs some has one that stands among them, and throws. */
function requirementOf(make: () => unknown): RegExp | undefined {
  try {
    const { requirement } = make() as { requirement?: unknown };
    return requirement instanceof RegExp ? requirement : undefined;
  } catch {
    return undefined;
  }
}

function placeOf(source: Source, node: Node): Pick<Expression, 'path' | 'line'> {
  const { path, line } = at(source, node, '');
  return { path, line };
}

function literal(text: string): Pick<Expression, 'source' | 'flags'> {
  const end = text.lastIndexOf('/');
  return { source: text.slice(1, end), flags: text.slice(end + 1) };
}

type Making = Node & { arguments?: readonly Node[] };

const makesExpression = (node: Node): node is Making =>
  (isNewExpression(node) || isCallExpression(node)) && node.expression.getText() === 'RegExp';

function made(source: Source, node: Making, constants: Constants): Expression | Finding {
  const [text, flags] = (node.arguments ?? []).map((argument) => textOf(argument, constants));
  const isWhole = text !== undefined && (flags !== undefined || (node.arguments?.length ?? 0) < 2);
  if (isWhole) return { ...placeOf(source, node), source: text, flags: flags ?? '' };
  return at(
    source,
    node,
    'the expression is made of what is not constant in this file: nobody can tell how long it takes',
  );
}

type Constants = ReadonlyMap<string, Node>;

/** What the names of a file stand for. */
const constantsIn = ({ nodes }: Source): Constants =>
  new Map(
    nodes.flatMap((node) =>
      isVariableDeclaration(node) && isIdentifier(node.name) && node.initializer
        ? [[node.name.text, node.initializer] as const]
        : [],
    ),
  );

/** The constant text that a node stands for; undefined when it is not constant. */
function textOf(node: Node | undefined, constants: Constants): string | undefined {
  if (node === undefined) return undefined;
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (isIdentifier(node)) return textOf(constants.get(node.text), constants);
  if (!isTemplateExpression(node)) return undefined;
  const spans = node.templateSpans.map(({ expression, literal: after }) => {
    const text = textOf(expression, constants);
    return text === undefined ? undefined : text + after.text;
  });
  return spans.includes(undefined) ? undefined : node.head.text + spans.join('');
}

/** Every `pattern` of a schema, and every key of its `patternProperties`. */
export function patternsIn({ path, text }: { path: string; text: string }): Expression[] {
  if (!SCHEMAS.test(path)) return [];
  const documents: unknown = path.endsWith('.json') ? JSON.parse(text) : Bun.YAML.parse(text);
  return [...new Set(patternsBelow(documents))].map((source) => ({
    path,
    line: lineOf(text, source),
    source,
    flags: 'u',
  }));
}

function patternsBelow(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'pattern' && typeof inner === 'string') return [inner];
    const keys = key === 'patternProperties' ? Object.keys(inner ?? {}) : [];
    return [...keys, ...patternsBelow(inner)];
  });
}

/** The line of the first occurrence, or the first line where the file writes it in another way. */
const lineOf = (text: string, pattern: string): number =>
  Math.max(1, text.split('\n').findIndex((line) => line.includes(pattern)) + 1);
