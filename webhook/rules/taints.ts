import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { Taint } from '../../schemas/common.ts';
import type { MachineSpec } from '../../schemas/machinespec.ts';
import { isReservedTaint, repeatedTaints } from '../../schemas/rules/machine.ts';
import { isLabelKey, isLabelValue } from '../../schemas/selector.ts';
import type { Rule } from '../admission/rule.ts';
import type { Violation } from '../providers/violation.ts';
import type { SpecPlace } from './places.ts';

/** Taints of a Node as a machine's spec has them: those that are put back, and those that are kept in step (hack/decisions/0000 2). */
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
    warnIfCopied: true,
  } as const;
  return [
    {
      ...row,
      id: `${idPrefix}taints-valid`,
      message: 'must have taints that a Node can carry',
      validate: validateBy(of, invalid),
    },
    {
      ...row,
      id: `${idPrefix}taints-not-reserved`,
      message: 'must leave alone the taints that Kubernetes and Drover put on Nodes themselves',
      validate: validateBy(of, reserved),
    },
    {
      ...row,
      id: `${idPrefix}taints-unique`,
      message: 'must have one taint of a key and an effect',
      validate: validateBy(of, repeated),
    },
  ];
}

/** A taint of a list that is not as it should be. */
interface Fault {
  taint: Taint;
  index: number;
  /** Below the taint. */
  at?: string;
  message: string;
}

type FindFaults = (list: readonly Taint[]) => Fault[];

/** What was there in the same words is left alone: looked up only for what is at fault, which is rare. */
const validateBy =
  <T extends KubeObject>(of: SpecPlace<T>['of'], find: FindFaults) =>
  (now: T, before: T | undefined): Violation[] =>
    Object.entries(lists).flatMap(([name, listOf]) => {
      const faults = find(listOf(of(now)) ?? []);
      if (faults.length === 0) return [];
      const known = new Set((listOf(before && of(before)) ?? []).map(wordsOf));
      return faults
        .filter(({ taint }) => !known.has(wordsOf(taint)))
        .map(({ index, at = '', message }) => ({ at: `${name}[${index}]${at}`, message }));
    });

const wordsOf = ({ key, value, effect, timeAdded }: Taint): string => JSON.stringify([key, value, effect, timeAdded]);

const invalid: FindFaults = (list) => [
  ...faultsWhere(list, ({ key }) => !isLabelKey(key)).map((fault) => ({
    ...fault,
    at: '.key',
    message: 'is no key of a taint: write name or prefix/name',
  })),
  ...faultsWhere(list, ({ value }) => !isLabelValue(value ?? '')).map((fault) => ({
    ...fault,
    at: '.value',
    message: 'is no value of a taint: at most 63 letters, digits, -, _ and .',
  })),
];

const reserved: FindFaults = (list) =>
  faultsWhere(list, ({ key }) => isReservedTaint(key)).map(({ taint, index }) => ({
    taint,
    index,
    at: '.key',
    message: `${taint.key} is put on Nodes and taken off by Kubernetes, its cloud controllers or Drover as things happen; choose a key of your own`,
  }));

const repeated: FindFaults = (list) => {
  const again = new Set(repeatedTaints(list));
  return faultsWhere(list, (_taint, index) => again.has(index)).map(({ taint, index }) => ({
    taint,
    index,
    message: `is the second taint ${taint.key}:${taint.effect} of the list; keep one`,
  }));
};

function faultsWhere(
  list: readonly Taint[],
  wrong: (taint: Taint, index: number) => boolean,
): Array<Omit<Fault, 'message'>> {
  const faults: Array<Omit<Fault, 'message'>> = [];
  list.forEach((taint, index) => {
    if (wrong(taint, index)) faults.push({ taint, index });
  });
  return faults;
}
