import * as v from 'valibot';

/** A flag of MCM that is taken, so that an MCM deployment's arguments work unchanged, but that changes nothing. */
export interface IgnoredFlag {
  /** Name without dashes. */
  flag: string;
  /** A flag that stands alone: a word after it is not its value. */
  boolean?: boolean;
  /** Ends the warning `--flag has no effect: …`. */
  why: string;
}

/** One of the programs: how it is started, and the schema of its settings, of which `T` is the parsed form. */
export interface Program<T> {
  /** The command that starts it. */
  start: string;
  /** One sentence: what it does. */
  description: string;
  /** From texts by setting name to `T`; each entry is made by `setting` (value.ts). */
  schema: v.GenericSchema<{ [name: string]: string | undefined }, T> & {
    readonly entries: Readonly<Record<string, v.GenericSchema<string | undefined, unknown>>>;
  };
  ignored: readonly IgnoredFlag[];
}

/** How a user gives one setting. */
export interface Flag {
  /** Name of the setting in code, for example `kubeApiQps`. */
  setting: string;
  /** Name on the command line, without dashes: `kube-api-qps`. */
  flag: string;
  /** Name of the environment variable: `DROVER_KUBE_API_QPS`. */
  env: string;
  /** What it takes, for example `duration`. */
  takes: string;
  /** The flag alone means true. */
  boolean: boolean;
  /** As the user would write it; empty when there is none. */
  fallback: string;
  description: string;
}

/** The settings of a program in the order of their schema, in the words of its users. */
export function flagsOf({ schema }: Pick<Program<unknown>, 'schema'>): Flag[] {
  return Object.entries(schema.entries).map(([setting, entry]) => {
    const flag = setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const { takes } = v.getMetadata(entry);
    return {
      setting,
      flag,
      env: `DROVER_${flag.replaceAll('-', '_').toUpperCase()}`,
      takes: String(takes),
      boolean: takes === 'true|false',
      fallback: v.getDefault(entry) ?? '',
      description: v.getDescription(entry) ?? '',
    };
  });
}
