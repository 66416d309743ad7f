import type { Diagnostics } from 'recheck';
import type { Expression } from './expressions.ts';
import type { Finding } from './source.ts';

/** How long the checker may think of one expression, milliseconds; most take less than a tenth of a second. */
const PATIENCE_MS = 10_000;

/**
 * Finds expressions that take more than linear time for some text, and those of which that cannot be told: a tenant writes
 * that text, and one thread serves all tenants (hack/decisions/0035).
 */
export async function redosFindings(expressions: readonly Expression[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  // One after the other: each takes a processor, and a worker of its own.
  for (const [name, places] of Map.groupBy(expressions, ({ source, flags }) => `/${source}/${flags}`)) {
    const fault = places[0] && (await faultOf(places[0]));
    if (fault !== undefined)
      findings.push(...places.map(({ path, line }) => ({ path, line, message: `${name} ${fault}` })));
  }
  return findings;
}

/** What is wrong with an expression; undefined for one that is linear. */
async function faultOf(expression: Expression): Promise<string | undefined> {
  const diagnosis = await judge(expression);
  if (diagnosis.status === 'safe') return undefined;
  if (diagnosis.status === 'unknown')
    return `cannot be judged (${reasonOf(diagnosis)}): rewrite it more simply, or read the text without an expression`;
  const { complexity, attack } = diagnosis;
  const cost = complexity.type === 'exponential' ? 'exponential' : `polynomial of degree ${complexity.degree}`;
  return `takes ${cost} time for ${shortened(attack.pattern)}: read each text in one way only, or without an expression`;
}

const reasonOf = ({ error }: Extract<Diagnostics, { status: 'unknown' }>): string =>
  'message' in error ? error.message : error.kind;

const shortened = (text: string): string => (text.length <= 80 ? text : `${text.slice(0, 77)}...`);

/** By automata alone: what fuzzing does not find may be there all the same. */
async function judge({ source, flags }: Expression): Promise<Diagnostics> {
  // The build in JavaScript, which is the same everywhere, before those in other languages.
  process.env['RECHECK_BACKEND'] = 'pure';
  const { check } = await import('recheck');
  return check(source, flags, { checker: 'automaton', timeout: PATIENCE_MS });
}
