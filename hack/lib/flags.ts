import { parseArgs } from 'node:util';

/** The flags of a command for people, by their names without dashes. */
export type Flags = Readonly<Record<string, { type: 'string' | 'boolean'; short?: string; multiple?: boolean }>>;

type Value<F extends Flags[string]> = F['type'] extends 'boolean'
  ? boolean
  : F['multiple'] extends true
    ? string[]
    : string;

/** What the words after a command hold. */
export interface Read<F extends Flags> {
  values: { [flag in keyof F]?: Value<F[flag]> };
  /** What is wrong with the first word that cannot be; follows the name of the command in a sentence. */
  wrong?: string;
}

/** Reads flags, and nothing but flags. @param advice follows the complaint about a flag that is not known */
export function readFlags<F extends Flags>(words: readonly string[], flags: F, advice = ''): Read<F> {
  const { values, tokens } = parseArgs({ args: [...words], options: flags, strict: false, tokens: true });
  const wrong = tokens.map((token) => complaint(token, flags, advice)).find((why) => why !== undefined);
  return { values: values as Read<F>['values'], ...(wrong !== undefined && { wrong }) };
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];

function complaint(token: Token, flags: Flags, advice: string): string | undefined {
  if (token.kind === 'positional') return `takes flags only, not "${token.value}"`;
  if (token.kind !== 'option') return undefined;
  const type = Object.hasOwn(flags, token.name) ? flags[token.name]?.type : undefined;
  if (!type) return `has no flag ${token.rawName}${advice}`;
  if (type === 'boolean' && token.value !== undefined) return `takes no value with ${token.rawName}`;
  return type === 'string' && !token.value ? `needs a value with ${token.rawName}` : undefined;
}
