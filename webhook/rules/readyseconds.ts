import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { makerOf } from '../admission/maker.ts';
import type { Rule } from '../admission/rule.ts';
import type { Breach } from '../providers/breach.ts';

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
  says: ignored,
  broken: (now, _before, facts) => (now.spec?.minReadySeconds && !isHonoured(now) && !makerOf(now, facts) ? [{}] : []),
};

/** Of a deployment it says what it costs, too. */
export const deploymentReadySeconds: Rule<MachineDeployment> = {
  ...setReadySeconds,
  id: 'deployment-ready-seconds',
  reads: [field, policy, 'spec.strategy'],
  broken: (now) => (now.spec.minReadySeconds ? [isHonoured(now) ? costOf(now) : {}] : []),
};

const isHonoured = ({ spec }: MachineSet | MachineDeployment): boolean => spec?.minReadySecondsPolicy === 'Honor';

function costOf({ spec }: MachineDeployment): Breach {
  const { replicas = 0, minReadySeconds = 0 } = spec;
  const steps = Math.ceil(replicas / stepOf(spec));
  return {
    says: `is honoured: a rollout of ${replicas} machines waits ${steps} times ${minReadySeconds} s, ${steps * minReadySeconds} s in all, for machines that run; raise maxSurge or maxUnavailable, or lower it, if that is too long`,
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
