import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import { type Rule, when } from '../admission/rule.ts';

/** No rule in CEL: deployments of MCM, which never minded minReadySeconds, must still be scaled. */
export const deadlineAfterReady: Rule<MachineDeployment> = {
  id: 'deadline-after-ready',
  on: ['create', 'update'],
  field: 'spec.progressDeadlineSeconds',
  reads: ['spec.progressDeadlineSeconds', 'spec.minReadySeconds', 'spec.minReadySecondsPolicy'],
  says: 'must not be less than spec.minReadySeconds where that is honoured, or each rollout counts as failed before its machines can be available; raise the one or lower the other',
  broken: ({ spec: { progressDeadlineSeconds: deadline, minReadySeconds: ready, minReadySecondsPolicy } }) =>
    when(
      minReadySecondsPolicy === 'Honor' &&
        typeof deadline === 'number' &&
        typeof ready === 'number' &&
        deadline < ready,
    ),
};
