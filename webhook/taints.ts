import type { KubeObject } from '../controller/runtime/object.ts';
import type { Taint } from '../schemas/common.ts';
import type { MachineSpec } from '../schemas/machinespec.ts';
import { isReservedTaint } from '../schemas/rules/taint.ts';
import { isLabelKey, isLabelValue } from '../schemas/selector.ts';
import type { Breach, Rule } from './rules.ts';
import type { SpecPlace } from './specplace.ts';

/** Taints of a Node as a machine's spec has them: those that are put back, and those that are kept in step (decisions 2). */
const lists = {
  '.taints': (spec: MachineSpec | undefined) => spec?.taints,
  '.nodeTemplate.spec.taints': (spec: MachineSpec | undefined) => spec?.nodeTemplate?.spec?.taints,
} as const;

/** What holds for the taints in the spec of a machine. */
export function taintRules<T extends KubeObject>({ field, idPrefix, of }: SpecPlace<T>): readonly Rule<T>[] {
  const row = {
    on: ['create', 'update'],
    field,
    reads: Object.keys(lists).map((at) => field + at),
    copied: true,
  } as const;
  const broken = (breaches: (placed: Placed) => readonly Breach[]) => (now: T, before: T | undefined) =>
    newTaints(of(now), before && of(before)).flatMap(breaches);
  return [
    { ...row, id: `${idPrefix}taints-valid`, says: 'must have taints that a Node can carry', broken: broken(invalid) },
    {
      ...row,
      id: `${idPrefix}taints-not-reserved`,
      says: 'must leave alone the taints that Kubernetes and Drover put on Nodes themselves',
      broken: broken(reserved),
    },
    {
      ...row,
      id: `${idPrefix}taints-unique`,
      says: 'must have one taint of a key and an effect',
      broken: broken(repeated),
    },
  ];
}

/** A taint that was not there before. */
interface Placed {
  /** Below the spec: `.taints[0]`. */
  at: string;
  taint: Taint;
  /** Another one before it in its list has the same key and effect. */
  repeats: boolean;
}

/** What was there in the same words is left alone. Sets, for an object of 3 MB has room for 60,000 of them. */
const newTaints = (now: MachineSpec | undefined, before: MachineSpec | undefined): Placed[] =>
  Object.entries(lists).flatMap(([list, of]) => {
    const known = new Set((of(before) ?? []).map(wordsOf));
    const seen = new Set<string>();
    return (of(now) ?? [])
      .map((taint, index) => {
        const earlier = seen.size;
        const repeats = seen.add(`${taint.key}:${taint.effect}`).size === earlier;
        return { at: `${list}[${index}]`, taint, repeats };
      })
      .filter(({ taint }) => known.size === 0 || !known.has(wordsOf(taint)));
  });

const wordsOf = ({ key, value, effect, timeAdded }: Taint): string => JSON.stringify([key, value, effect, timeAdded]);

const invalid = ({ at, taint: { key, value = '' } }: Placed): Breach[] => [
  ...(isLabelKey(key) ? [] : [{ at: `${at}.key`, says: 'is no key of a taint: write name or prefix/name' }]),
  ...(isLabelValue(value)
    ? []
    : [{ at: `${at}.value`, says: 'is no value of a taint: at most 63 letters, digits, -, _ and .' }]),
];

const reserved = ({ at, taint: { key } }: Placed): Breach[] =>
  isReservedTaint(key)
    ? [
        {
          at: `${at}.key`,
          says: `${key} is put on Nodes and taken off by Kubernetes, its cloud controllers or Drover as things happen; choose a key of your own`,
        },
      ]
    : [];

const repeated = ({ at, taint, repeats }: Placed): Breach[] =>
  repeats ? [{ at, says: `is the second taint ${taint.key}:${taint.effect} of the list; keep one` }] : [];
