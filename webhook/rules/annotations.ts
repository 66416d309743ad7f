import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { parseDuration } from '../../schemas/duration.ts';
import {
  ANNOTATION_CREATION_TIMEOUT,
  ANNOTATION_MARKED,
  ANNOTATION_PRESERVE,
  ANNOTATION_PRIORITY,
  ANNOTATION_TRIGGER_DELETION,
} from '../../schemas/keys.ts';
import { knownPreserve } from '../../schemas/rules/machine.ts';
import { isTime, victimIn } from '../../schemas/rules/time.ts';
import { type Level, type Rule, when } from '../admission/rule.ts';

/** MCM's annotations, whose values nothing else checks (hack/spec/mcm.md 2.2). */

/** For every kind but classes. */
export const creationTimeout: Rule<KubeObject> = {
  ...annotation(ANNOTATION_CREATION_TIMEOUT, 'deny', (text) => (parseDuration(text) ?? 0) > 0),
  id: 'creation-timeout',
  warnIfCopied: true,
  message: 'must be a duration longer than 0, such as "20m" or "1h30m", or it is taken for absent',
};

/** Written by scalers: who is refused would not scale, so they are only told. */
export const scalerMarks: readonly Rule<KubeObject>[] = [
  {
    ...annotation(ANNOTATION_PRIORITY, 'warn', (text) => /^[+-]?\d+$/.test(text)),
    id: 'deletion-priority',
    message:
      'should be a whole number, such as "1": anything else counts as 3, the priority of a machine that nobody marked',
  },
  {
    ...annotation(ANNOTATION_MARKED, 'warn', isTime),
    id: 'marked-for-deletion',
    message: 'should be a moment as RFC 3339 writes it, such as "2026-01-31T08:00:00Z": anything else marks nothing',
  },
];

/** For machines: a word that nobody knows preserves nothing (hack/spec/mcm.md 6.12); other programs write it as well. */
export const preserve: Rule<KubeObject> = {
  ...annotation(ANNOTATION_PRESERVE, 'warn', (text) => knownPreserve(text) !== undefined),
  id: 'preserve',
  message: 'should be now, when-failed or false: anything else preserves nothing',
};

/** For deployments: the machines that an autoscaler wants to be gone, `m1~2026-01-31T08:00:00Z,m2` (hack/spec/cluster-api.md E2). */
export const triggerDeletion: Rule<KubeObject> = {
  ...annotation(ANNOTATION_TRIGGER_DELETION, 'warn', (text) => text === '' || text.split(',').every(victimIn)),
  id: 'trigger-deletion',
  message:
    'should be names of Machines, each with a moment as RFC 3339 writes it: "m1~2026-01-31T08:00:00Z,m2~2026-01-31T08:00:00Z"; any other entry is passed over',
};

function annotation(key: string, level: Level, isGood: (text: string) => boolean) {
  return {
    on: ['create', 'update'],
    field: `metadata.annotations[${key}]`,
    level,
    validate: ({ metadata }: KubeObject) => {
      const text = metadata.annotations?.[key];
      return when(text !== undefined && !isGood(text));
    },
  } as const;
}
