import { ANNOTATION_REVISION } from '../../schemas/keys.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { revisionOf, rollbackTarget as targetOf } from '../../schemas/revisions.ts';
import { unmovingBlock } from '../../schemas/rules/strategy.ts';
import { makerOf } from '../admission/maker.ts';
import { type Rule, when } from '../admission/rule.ts';
import type { Violation } from '../providers/violation.ts';
import { countOf, isSetOf } from './places.ts';
import { isWide, templatesOf } from './replaces.ts';

/** No rule in CEL: deployments of MCM, which never minded minReadySeconds, must still be scaled. */
export const deadlineAfterReady: Rule<MachineDeployment> = {
  id: 'deadline-after-ready',
  on: ['create', 'update'],
  field: 'spec.progressDeadlineSeconds',
  reads: ['spec.progressDeadlineSeconds', 'spec.minReadySeconds', 'spec.minReadySecondsPolicy'],
  message:
    'must not be less than spec.minReadySeconds where that is honoured, or each rollout counts as failed before its machines can be available; raise the one or lower the other',
  validate: ({ spec: { progressDeadlineSeconds: deadline, minReadySeconds: ready, minReadySecondsPolicy } }) =>
    when(
      minReadySecondsPolicy === 'Honor' &&
        typeof deadline === 'number' &&
        typeof ready === 'number' &&
        deadline < ready,
    ),
};

/**
 * A rollback goes to a set that is there (hack/spec/mcm.md 4.8). A set that was made this moment may not be seen yet: the rollback is
 * refused, and trying again helps.
 */
export const rollbackTarget: Rule<MachineDeployment> = {
  id: 'rollback-target',
  on: ['create', 'update'],
  field: 'spec.rollbackTo.revision',
  reads: ['spec.rollbackTo'],
  message: 'must be the revision of one of the MachineSets of the deployment, or 0 for the one before the latest',
  validate(now, _before, { sets }) {
    if (!now.spec?.rollbackTo) return [];
    const own = sets().filter((set) => isSetOf(now, set));
    if (hasTarget(now, own)) return [];
    const count = own.filter((set) => revisionOf(set) !== undefined).length;
    const known = `${countOf(count, 'revision')} known: see the annotation ${ANNOTATION_REVISION} of its MachineSets`;
    return [{ message: `${rollbackTarget.message} (${known})` }];
  },
};

/**
 * What the controller finds (hack/decisions/0051 U50). Templates that are too large to be compared here are not: any set of a revision will
 * do, and the controller tells if there is none to go back to.
 */
function hasTarget(now: MachineDeployment, own: readonly MachineSet[]): boolean {
  const isUnsure = !now.spec.rollbackTo?.revision && isWide(now.spec.template, templatesOf(own));
  return isUnsure ? own.some((set) => revisionOf(set) !== undefined) : targetOf(now, own) !== undefined;
}

/** MCM takes such limits, and rolls one by one: its users keep them (hack/decisions/0051 U12). */
export const rolloutMoves: Rule<MachineDeployment> = {
  id: 'rollout-moves',
  on: ['create', 'update'],
  field: 'spec.strategy',
  level: 'warn',
  message:
    'should have maxSurge or maxUnavailable above 0: where both are 0, maxUnavailable counts as 1, and machines are replaced one by one',
  validate({ spec }) {
    const block = unmovingBlock(spec?.strategy);
    return block
      ? [
          {
            at: `.${block}`,
            message:
              'has maxSurge and maxUnavailable 0: maxUnavailable counts as 1, so that one machine after the other is taken away before it is replaced',
          },
        ]
      : [];
  },
};

const field = 'spec.minReadySeconds';
const policy = 'spec.minReadySecondsPolicy';
const ignored = `is ignored, as machine-controller-manager does: a machine is available once it is Running; set ${policy} to Honor for it to count`;

/** Which of both holds is not seen from the number; MCM's users are used to its being ignored (hack/decisions/0054). */
export const setReadySeconds: Rule<MachineSet> = {
  id: 'ready-seconds',
  on: ['create', 'update'],
  field,
  reads: [field, policy],
  level: 'warn',
  message: ignored,
  validate: (now, _before, facts) =>
    now.spec?.minReadySeconds && !isHonoured(now) && !makerOf(now, facts) ? [{}] : [],
};

/** Of a deployment it says what it costs, too. */
export const deploymentReadySeconds: Rule<MachineDeployment> = {
  ...setReadySeconds,
  id: 'deployment-ready-seconds',
  reads: [field, policy, 'spec.strategy'],
  validate: (now) => (now.spec.minReadySeconds ? [isHonoured(now) ? costOf(now) : {}] : []),
};

const isHonoured = ({ spec }: MachineSet | MachineDeployment): boolean => spec?.minReadySecondsPolicy === 'Honor';

function costOf({ spec }: MachineDeployment): Violation {
  const { replicas = 0, minReadySeconds = 0 } = spec;
  const steps = Math.ceil(replicas / stepOf(spec));
  return {
    message: `is honoured: a rollout of ${replicas} machines waits ${steps} times ${minReadySeconds} s, ${steps * minReadySeconds} s in all, for machines that run; raise maxSurge or maxUnavailable, or lower it, if that is too long`,
  };
}

/** How many machines a rollout may replace at a time. */
function stepOf({ replicas = 0, strategy }: MachineDeployment['spec']): number {
  const { type, rollingUpdate, inPlaceUpdate } = strategy ?? {};
  if (type === 'Recreate') return Math.max(1, replicas);
  const limits = type === 'InPlaceUpdate' ? inPlaceUpdate : rollingUpdate;
  const surge = share(limits?.maxSurge ?? 1, replicas, Math.ceil);
  return Math.max(1, surge + share(limits?.maxUnavailable ?? 0, replicas, Math.floor));
}

function share(value: number | string, replicas: number, round: (value: number) => number): number {
  const number = Number.parseInt(`${value}`, 10) || 0;
  return typeof value === 'number' ? value : round((number * replicas) / 100);
}
