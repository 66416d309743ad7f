import * as v from 'valibot';
import { readArguments } from './config/arguments.ts';
import { type Flag, flagsOf, type Program } from './config/program.ts';

/**
 * From command line and environment to the settings of a program. The settings themselves are listed in
 * config/controller.ts and config/webhook.ts.
 */

/** Where settings come from. */
export interface Given {
  /** Words after the program's name. */
  args: readonly string[];
  /** `DROVER_…` variables are read; an empty one counts as absent. */
  env: Readonly<Record<string, string | undefined>>;
}

/** Settings, or every reason why there are none; all texts are sentences for people. */
export type Parsed<T> = { ok: true; settings: T; warnings: string[] } | { ok: false; findings: string[] };

/** A flag wins over the environment, the environment over the default. */
export function parseSettings<T>(program: Program<T>, { args, env }: Given): Parsed<T> {
  const flags = flagsOf(program);
  const { values, findings } = readArguments(args, [...flags, ...program.ignored]);
  const given = flags.map((flag) => source(flag, values, env));
  const read = v.safeParse(program.schema, Object.fromEntries(given.map(({ setting, value }) => [setting, value])));
  const named = new Map(given.map(({ setting, name }) => [setting, name]));
  findings.push(...(read.issues ?? []).map((issue) => `${named.get(settingOf(issue))}: ${issue.message}`));
  if (!read.success || findings.length > 0) return { ok: false, findings };
  const ignored = program.ignored.filter(({ flag }) => values.has(flag));
  return {
    ok: true,
    settings: read.output,
    warnings: ignored.map(({ flag, why }) => `--${flag} has no effect: ${why}`),
  };
}

/** What the command line asks for instead of running the program. */
export function asksFor(args: readonly string[]): 'help' | 'version' | undefined {
  if (args.some((word) => word === '--help' || word === '-h')) return 'help';
  return args.includes('--version') ? 'version' : undefined;
}

interface Source {
  setting: string;
  value: string | undefined;
  /** How findings name the setting: as the user gave it. */
  name: string;
}

function source({ setting, flag, env: variable }: Flag, values: Map<string, string>, env: Given['env']): Source {
  const inherited = env[variable];
  const useEnv = !values.has(flag) && inherited !== undefined && inherited !== '' && !isServiceLink(inherited);
  return useEnv
    ? { setting, value: inherited, name: variable }
    : { setting, value: values.get(flag), name: `--${flag}` };
}

/** Kubernetes puts `DROVER_PORT=tcp://…` into the pods next to a Service named `drover`: that is no setting. */
const isServiceLink = (value: string): boolean => /^(tcp|udp|sctp):\/\//.test(value);

const settingOf = ({ path }: v.BaseIssue<unknown>): string => String(path?.[0]?.key);
