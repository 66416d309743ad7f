import {
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isPropertyAccessExpression,
  type Node,
} from 'typescript/unstable/ast';
import { at, type Finding, type Source } from './source.ts';

/** Where time and chance must be injected. */
const DETERMINISTIC = /^(controller|schemas|webhook|test\/simulation)\//;

/** Where they come from. */
const ORIGINS = /^controller\/runtime\/(clock|random)\.ts$/;

const CLOCK = 'take time from an injected Clock (controller/runtime/clock.ts)';
const CHANCE = 'take chance from an injected Random (controller/runtime/random.ts)';

/** Names that read the clock, wait or roll dice. */
const FORBIDDEN: ReadonlyMap<string, string> = new Map([
  ['Date.now', CLOCK],
  ['performance.now', CLOCK],
  ['Bun.nanoseconds', CLOCK],
  ['setTimeout', CLOCK],
  ['setInterval', CLOCK],
  ['setImmediate', CLOCK],
  ['Bun.sleep', CLOCK],
  ['Bun.sleepSync', CLOCK],
  ['AbortSignal.timeout', CLOCK],
  ['new Date()', CLOCK],
  ['Math.random', CHANCE],
]);

/** Finds code, tests included, that reads the clock, waits or rolls dice by itself. */
export function determinismLint(source: Source): Finding[] {
  if (!DETERMINISTIC.test(source.path) || ORIGINS.test(source.path)) return [];
  return source.nodes.flatMap((node) => {
    const name = used(node);
    const advice = FORBIDDEN.get(name);
    return advice === undefined ? [] : [at(source, node, `${name}: ${advice}`)];
  });
}

/** What a node uses, as FORBIDDEN names it. */
function used(node: Node): string {
  if (isPropertyAccessExpression(node))
    return `${node.expression.getText()}.${node.name.text}`.replace('globalThis.', '');
  if (isIdentifier(node)) return namesItsParent(node) ? '' : node.text;
  return isNow(node) ? 'new Date()' : '';
}

/** A declaration's or property's own name uses nothing. */
const namesItsParent = (node: Node): boolean => 'name' in node.parent && node.parent.name === node;

/** With an argument, `new Date` only converts; without one, and without `new`, it means now. */
const isNow = (node: Node): boolean =>
  (isNewExpression(node) || isCallExpression(node)) &&
  node.expression.getText() === 'Date' &&
  (isCallExpression(node) || (node.arguments?.length ?? 0) === 0);
