import type { MachineClass } from '../../schemas/machineclass.ts';
import type { Rule } from '../admission/rule.ts';

const CAPACITY = ['cpu', 'gpu', 'memory'] as const;
const PLACE = ['instanceType', 'region', 'zone'] as const;

/** What MCM demands of a class that describes its Nodes (MCM 11.5); Drover makes machines without it, too. */
export const nodeTemplateComplete: Rule<MachineClass> = {
  id: 'node-template-complete',
  on: ['create', 'update'],
  field: 'nodeTemplate',
  level: 'warn',
  says: 'must have the capacities cpu, gpu and memory, and instanceType, region and zone, or a machine controller of MCM makes no machine of it; write "0" for what there is none of',
  broken: ({ nodeTemplate }) => {
    if (!nodeTemplate) return [];
    const capacity = CAPACITY.filter((key) => nodeTemplate.capacity?.[key] === undefined);
    return [
      ...capacity.map((key) => ({
        at: `.capacity[${key}]`,
        says: `is missing: machine controllers of MCM and autoscalers that scale from zero ask for it; write "0" when there is none`,
      })),
      ...PLACE.filter((key) => !nodeTemplate[key]).map((key) => ({
        at: `.${key}`,
        says: 'is empty: machine controllers of MCM make no machine of such a class',
      })),
    ];
  },
};
