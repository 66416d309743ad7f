import type { Taint } from '../common.ts';
import { parseDuration } from '../duration.ts';
import { FINALIZER, PRIORITY_OVERRIDES } from '../keys.ts';
import type { MachineSpec } from '../machinespec.ts';
import { isLabelKey, isLabelValue, labelFindings } from '../selector.ts';

/**
 * What is wrong with the spec of a machine, as a sentence that begins with the path; undefined when nothing is. Only what
 * could never come true, or would make a Node that the API server refuses: what the webhook refuses beyond that, stored
 * before it was asked, is no reason to stop a herd.
 * @param at where the spec stands: `spec`, `spec.template.spec`
 */
export function machineSpecFault(spec: MachineSpec | undefined, at: string): string | undefined {
  for (const check of checks) {
    const fault = check(spec ?? ({} as MachineSpec));
    if (fault !== undefined) return `${at}${fault}`;
  }
  return undefined;
}

/** Answers what goes on after the path of the spec. */
type Check = (spec: MachineSpec) => string | undefined;

/** Names of timeouts, and whether they may be 0. */
const DURATIONS = {
  drainTimeout: true,
  healthTimeout: false,
  creationTimeout: false,
  inPlaceUpdateTimeout: false,
  machinePreserveTimeout: true,
} as const;

const checks: readonly Check[] = [sources, durations, taints, labels, annotations];

function sources(spec: MachineSpec): string | undefined {
  if (hasTwoSources(spec)) return ' names a class and a provider: set either class, or provider and providerSpec';
  if (lacksSource(spec)) return '.class.name is missing: name a MachineClass, or set provider and providerSpec';
  return hasHalfSource(spec) ? ': provider and providerSpec go together: set both or neither' : undefined;
}

function durations(spec: MachineSpec): string | undefined {
  const names = Object.keys(DURATIONS) as Array<keyof typeof DURATIONS>;
  const bad = names.find((name) => spec[name] && !isDuration(spec[name], DURATIONS[name]));
  return bad && `.${bad} "${spec[bad]}" is no ${DURATIONS[bad] ? '' : 'lasting '}duration such as 90s or 1h30m`;
}

function isDuration(text: string, mayBeNothing: boolean): boolean {
  const ms = parseDuration(text) ?? -1;
  return mayBeNothing ? ms >= 0 : ms > 0;
}

function taints(spec: MachineSpec): string | undefined {
  const lists = { '.taints': spec.taints, '.nodeTemplate.spec.taints': spec.nodeTemplate?.spec?.taints };
  for (const [at, list] of Object.entries(lists)) {
    const fault = taintFault(list ?? []);
    if (fault) return `${at}${fault}`;
  }
  return undefined;
}

const EFFECTS: ReadonlySet<string> = new Set(['NoSchedule', 'PreferNoSchedule', 'NoExecute']);

function taintFault(list: readonly Taint[]): string | undefined {
  const bad = list.findIndex(
    ({ key, value, effect }) => !isLabelKey(key) || !isLabelValue(value ?? '') || !EFFECTS.has(effect),
  );
  if (bad >= 0) return `[${bad}] is no taint that a Node can carry`;
  const [again] = repeatedTaints(list);
  return again === undefined ? undefined : `[${again}] is the second taint of its key and effect`;
}

function labels({ nodeTemplate }: MachineSpec): string | undefined {
  for (const [key, value] of Object.entries(nodeTemplate?.metadata?.labels ?? {})) {
    const [finding] = labelFindings(`.nodeTemplate.metadata.labels[${key}]`, key, value);
    if (finding) return `${finding.at} ${finding.message}`;
  }
  return undefined;
}

function annotations({ nodeTemplate }: MachineSpec): string | undefined {
  const keys = Object.keys(nodeTemplate?.metadata?.annotations ?? {});
  const bad = keys.find((key) => !isLabelKey(key.toLowerCase()));
  return bad === undefined ? undefined : `.nodeTemplate.metadata.annotations[${bad}] is no key of an annotation`;
}

/** Whether a machine is made from nothing: it names no class, and says no provider either (hack/spec/mcm.md 11.4). */
const lacksSource = ({ class: named, provider }: MachineSpec): boolean => !provider && !named?.name;

/** Whether a machine is made from two things: a class, and what it says itself. */
const hasTwoSources = ({ class: named, provider }: MachineSpec): boolean => Boolean(provider && named?.name);

/** Whether one of `provider` and `providerSpec`, which go together, is missing. */
const hasHalfSource = ({ provider, providerSpec }: MachineSpec): boolean =>
  Boolean(provider) !== (providerSpec !== undefined && providerSpec !== null);

/** Taken off by the controller when a machine first runs (the default of `--startup-taint`). */
export const STARTUP_TAINT = 'drover.dev/uninitialized';

/** Taints that machine controllers of ours or of MCM write (hack/spec/mcm.md 2.4). */
const OURS = ['deployment.machine.sapcloud.io/prefer-no-schedule', 'node.machine.sapcloud.io/preserved', STARTUP_TAINT];

/**
 * Whether a taint belongs to those who write it as things happen, so that no machine may ask for it: all of
 * `node.kubernetes.io/` but `out-of-service`, which people write, all of `node.cloudprovider.kubernetes.io/`, and what
 * machine controllers write (hack/spec/cluster-api.md A3.1).
 */
export const isReservedTaint = (key: string): boolean =>
  (key.startsWith('node.kubernetes.io/') && key !== 'node.kubernetes.io/out-of-service') ||
  key.startsWith('node.cloudprovider.kubernetes.io/') ||
  OURS.includes(key);

/**
 * Places of a list at which a taint has the key and the effect of one before it: a Node carries one of each. A Set,
 * because an object of 3 MB has room for 60,000 taints.
 */
export function repeatedTaints(list: ReadonlyArray<{ key: string; effect: string }>): number[] {
  const seen = new Set<string>();
  const again: number[] = [];
  list.forEach(({ key, effect }, index) => {
    const known = seen.size;
    if (seen.add(`${key}:${effect}`).size === known) again.push(index);
  });
  return again;
}

/** The bounds of an override: above, between and below every level, never out of reach of a later one (hack/decisions/0000 5). */
export const OVERRIDE_BOUNDS = { least: -100, most: 100 } as const;

/** Whether the text of an annotation is an integer within the bounds. */
export const isPriority = (text: string): boolean =>
  /^[+-]?\d+$/.test(text) && Number(text) >= OVERRIDE_BOUNDS.least && Number(text) <= OVERRIDE_BOUNDS.most;

/** The override that annotations carry: its number, `invalid` when it is none within the bounds, undefined when absent. */
export function priorityOverride(
  annotations: Readonly<Record<string, string>> | null | undefined,
): number | 'invalid' | undefined {
  const text = PRIORITY_OVERRIDES.map((key) => annotations?.[key]).find((value) => value !== undefined);
  if (text === undefined) return undefined;
  return isPriority(text) ? Number(text) : 'invalid';
}

/** What may be asked of a Machine's preservation (hack/spec/mcm.md 6.12); empty: nothing. */
const PRESERVE_VALUES = ['', 'now', 'when-failed', 'auto-preserved', 'false'] as const;
export type PreserveValue = (typeof PRESERVE_VALUES)[number];

/** The word, if it is one that preservation knows. */
export const knownPreserve = (text = ''): PreserveValue | undefined => PRESERVE_VALUES.find((value) => value === text);

/** What is looked at of an object. */
interface Kept {
  metadata: { deletionTimestamp?: string | undefined; finalizers?: readonly string[] | undefined };
}

/**
 * Nothing is left of the Machine, or set, but the object, which the finalizer of somebody else keeps: ours goes last, when VM and Node are
 * gone (hack/decisions/0051 S36).
 */
export const isOnlyKept = ({ metadata }: Kept): boolean =>
  metadata.deletionTimestamp !== undefined && !metadata.finalizers?.includes(FINALIZER);
