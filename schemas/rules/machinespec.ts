import type { Taint } from '../common.ts';
import { parseDuration } from '../duration.ts';
import type { MachineSpec } from '../machinespec.ts';
import { isLabelKey, isLabelValue, labelFindings } from '../selector.ts';
import { hasHalfSource, hasTwoSources, lacksSource } from './madefrom.ts';
import { repeatedTaints } from './taint.ts';

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
