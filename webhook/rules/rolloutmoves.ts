import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import { unmovingBlock } from '../../schemas/rules/strategy.ts';
import type { Rule } from '../admission/rule.ts';

/** MCM takes such limits, and rolls one by one: its users keep them (hack/decisions/0051 U12). */
export const rolloutMoves: Rule<MachineDeployment> = {
  id: 'rollout-moves',
  on: ['create', 'update'],
  field: 'spec.strategy',
  level: 'warn',
  says: 'should have maxSurge or maxUnavailable above 0: where both are 0, maxUnavailable counts as 1, and machines are replaced one by one',
  broken({ spec }) {
    const block = unmovingBlock(spec?.strategy);
    return block
      ? [
          {
            at: `.${block}`,
            says: 'has maxSurge and maxUnavailable 0: maxUnavailable counts as 1, so that one machine after the other is taken away before it is replaced',
          },
        ]
      : [];
  },
};
