import { readArguments } from '../../schemas/config/arguments.ts';
import { controllerProgram } from '../../schemas/config/controller.ts';
import { IN_CLUSTER, NO_TARGET } from '../../schemas/config/kubeconfig.ts';
import { flagsOf } from '../../schemas/config/program.ts';
import type { Container, Deployment } from './deployment.ts';

/** How a deployed controller is set up, as far as that makes sense on another machine. */
export interface Deployed {
  /** Flags as words, without those of clusters and of the port. */
  flags: string[];
  /** Variables that are settings. */
  env: Record<string, string>;
  /** The two kubeconfigs, as its flags or variables have them; empty where neither does. */
  control: string;
  target: string;
}

const CONTROL = 'control-kubeconfig';
const TARGET = 'target-kubeconfig';

/** What is otherwise where the controller runs now: how clusters are reached, and where it listens. */
const ELSEWHERE = [CONTROL, TARGET, 'address', 'port', 'node-name'];

/** What MCM's containers are called: its own, and that of its driver, which makes the machines. */
const MCM = 'machine-controller-manager';

/**
 * The container that runs the controller: the one of that name, or the first. MCM is two programs in containers of their
 * own, which here are one; where both have a flag, the first one's counts.
 */
export function containerOf({ spec }: Deployment): Container {
  const { containers } = spec.template.spec;
  const named = (name: string) => containers.filter((one) => one.name === name);
  const drivers = containers.filter(({ name }) => name.startsWith(`${MCM}-provider-`));
  const [main] = [...named('controller'), ...named(MCM), ...containers];
  if (!main) throw new Error('the Deployment has no container');
  if (main.name !== MCM) return main;
  const both = [...drivers, main];
  return {
    name: main.name,
    args: both.flatMap(flagsIn),
    env: both.flatMap(({ env = [] }) => env),
    volumeMounts: both.flatMap(({ volumeMounts = [] }) => volumeMounts),
  };
}

/** A container's words from its first flag on. */
function flagsIn({ command = [], args = [] }: Container): string[] {
  const words = [...command, ...args];
  const first = words.findIndex((word) => word.startsWith('-'));
  return first === -1 ? [] : words.slice(first);
}

/** Reads the settings of the container. Throws a sentence for words that the controller here does not know. */
export function deployedAs(container: Container): Deployed {
  const known = [...flagsOf(controllerProgram), ...controllerProgram.ignored];
  const { values, findings } = readArguments(flagsIn(container), known);
  if (findings.length > 0)
    throw new Error(`the controller here does not take the Deployment's arguments: ${findings.join('; ')}`);
  const variables = new Map(
    (container.env ?? []).flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])),
  );
  const settingOf = (flag: string): string => values.get(flag) ?? variables.get(variableOf(flag)) ?? '';
  return {
    flags: [...values].filter(([flag]) => !ELSEWHERE.includes(flag)).map(([flag, value]) => `--${flag}=${value}`),
    env: Object.fromEntries([...variables].filter(([name]) => isSetting(name))),
    control: settingOf(CONTROL),
    target: settingOf(TARGET),
  };
}

const variableOf = (flag: string): string => `DROVER_${flag.replaceAll('-', '_').toUpperCase()}`;

/** A variable that says something to the controller or to Bun, and says it here as well. */
const isSetting = (name: string): boolean =>
  /^(DROVER|BUN)_/.test(name) && !ELSEWHERE.some((flag) => variableOf(flag) === name);

/** Gets the kubeconfigs that a controller is to use here; each is a path. */
export interface Kubeconfigs {
  /** As the Deployment's ServiceAccount, in the Deployment's cluster. */
  own(): string;
  /** What the Deployment has at that path. */
  mounted(path: string): Promise<string>;
}

/** The flags for both clusters, which mean here what the Deployment's mean there (hack/spec/mcm.md 0.2). */
export async function clusterFlags({ control, target }: Deployed, get: Kubeconfigs): Promise<string[]> {
  const here = async (path: string) => (path === IN_CLUSTER ? get.own() : get.mounted(path));
  if (control === '' && (target === '' || target === NO_TARGET)) {
    return [`--${CONTROL}=${get.own()}`, ...(target === '' ? [] : [`--${TARGET}=${NO_TARGET}`])];
  }
  const flags: string[] = [];
  if (control !== '') flags.push(`--${CONTROL}=${await here(control)}`);
  if (target !== '') flags.push(`--${TARGET}=${target === NO_TARGET ? NO_TARGET : await here(target)}`);
  return flags;
}
