import * as v from 'valibot';
import { int32, labelSelector, objectEntries } from './common.ts';
import { cel, optional, required } from './field.ts';
import { age, droverGroup, type Kind } from './kind.ts';

/** So many entries `machines` and `pods` have at most, as Cluster API has it. */
const MOST_ENTRIES = 32;

/** What a drain does with a pod (Cluster API, MachineDrainRule). */
export const drainBehaviors = ['Drain', 'Skip', 'WaitCompleted'] as const;

/** What a drain does with a pod. */
export type DrainBehavior = (typeof drainBehaviors)[number];

const atLeastOne = <T>() => v.metadata<T, Record<string, unknown>>({ minProperties: 1 });

const machineSelector = v.pipe(
  v.object({
    selector: optional(labelSelector, 'Labels of the Machines; absent or empty: all Machines of the namespace.'),
    clusterSelector: optional(
      labelSelector,
      'Labels of the Clusters that the Machines name; absent or empty: whatever they join. One that says something picks no Machine of the default target.',
    ),
  }),
  atLeastOne(),
);

const podSelector = v.pipe(
  v.object({
    selector: optional(labelSelector, 'Labels of the pods; absent or empty: all pods.'),
    namespaceSelector: optional(
      labelSelector,
      'Labels of the namespaces that the pods are in, in the cluster that the Machine joins; absent or empty: all namespaces. The label kubernetes.io/metadata.name names one.',
    ),
  }),
  atLeastOne(),
);

const drainConfig = v.pipe(
  v.object({
    behavior: required(
      v.picklist(drainBehaviors),
      'Drain: the pods are evicted, in their order. Skip: they are not evicted, and stop when the VM does. WaitCompleted: they are not evicted, and the drain waits until they have completed, or its time is over, which maxEvictRetries does not cut short; their order is 0.',
    ),
    order: optional(
      int32,
      'Pods of a higher order are evicted once those of lower ones are gone; 0 if absent. Only with behavior Drain.',
    ),
  }),
  cel({
    rule: "self.behavior == 'Drain' || !has(self.order)",
    message: 'only pods with behavior Drain have an order; leave it out, or set behavior to Drain',
    fieldPath: '.order',
  }),
);

const unique = <T>() =>
  cel<T>({
    rule: 'self.all(x, self.exists_one(y, x == y))',
    message: 'no two entries may be the same; leave out the second one',
  });

const drainRuleSpec = v.object({
  drain: required(drainConfig, 'What a drain does with the pods.'),
  machines: optional(
    v.pipe(v.array(machineSelector), v.minLength(1), v.maxLength(MOST_ENTRIES), unique()),
    'The Machines whose drains follow the rule, all of the namespace if absent: those that one entry picks, by all that it says.',
  ),
  pods: optional(
    v.pipe(v.array(podSelector), v.minLength(1), v.maxLength(MOST_ENTRIES), unique()),
    'The pods that the rule is about, all if absent: those that one entry picks, by all that it says. Pods of DaemonSets and mirror pods are let be whatever rules say.',
  ),
});

/** How pods leave the Nodes of Machines that are drained, as Cluster API's kind of this name has it. */
export const machineDrainRule = v.object({
  ...objectEntries,
  spec: required(
    drainRuleSpec,
    'If several rules match a Machine and a pod, the one whose name sorts first applies; pods that no rule matches are drained, with order 0.',
  ),
});

/** How pods leave the Nodes of Machines that are drained. */
export type MachineDrainRule = v.InferOutput<typeof machineDrainRule>;

/** The kind MachineDrainRule. */
export const machineDrainRuleKind: Kind = {
  group: droverGroup,
  kind: 'MachineDrainRule',
  plural: 'machinedrainrules',
  shortName: 'mdr',
  sentence: 'A MachineDrainRule says how pods leave the Nodes of the Machines of its namespace when these are drained.',
  schema: machineDrainRule,
  status: false,
  scale: false,
  superset: [],
  columns: [
    { name: 'Behavior', type: 'string', jsonPath: '.spec.drain.behavior' },
    { name: 'Order', type: 'integer', jsonPath: '.spec.drain.order' },
    age,
  ],
};
