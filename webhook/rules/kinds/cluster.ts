import { type Cluster, clusterKind } from '../../../schemas/cluster.ts';
import { type Rule, when } from '../../admission/rule.ts';
import type { Table } from '../../admission/table.ts';
import { createdBy, createdByStays } from '../createdby.ts';
import { countOf } from '../places.ts';
import { priorityInRange } from '../priority.ts';

/** Asked of what is stored, so that it holds whoever deletes, in whichever way: also the end of a whole namespace. */
const deletionProtected: Rule<Cluster> = {
  id: 'deletion-protected',
  on: ['delete'],
  field: 'spec.deletionProtection',
  reason: 'FieldValueForbidden',
  message: `is true, so the Cluster cannot be deleted; to delete it all the same, first run kubectl patch dcl NAME --type=merge -p '{"spec":{"deletionProtection":false}}'`,
  validate({ metadata, spec }) {
    const { name, namespace } = metadata;
    if (!spec.deletionProtection) return [];
    return [{ message: deletionProtected.message.replace('NAME', `${name} -n ${namespace}`) }];
  },
};

/** Only a warning, for the Cluster waits for them. */
const machinesLeft: Rule<Cluster> = {
  id: 'machines-left',
  on: ['delete'],
  field: 'metadata.finalizers',
  level: 'warn',
  message: 'keep the Cluster until no Machine names it; delete those, or what makes them',
  validate({ metadata, spec }, _before, { machinesIn }) {
    const machines = machinesIn(metadata.name);
    if (spec.deletionProtection || machines.length === 0) return [];
    return [{ message: `${machinesLeft.message} (named by ${countOf(machines.length, 'Machine')})` }];
  },
};

/** Whether it does, only the cluster behind it could tell. */
const kubeconfigMoves: Rule<Cluster> = {
  id: 'kubeconfig-moves',
  on: ['update'],
  field: 'spec.kubeconfigSecretRef',
  level: 'warn',
  message:
    'changes while Machines name the Cluster: they do not move, so the other kubeconfig must lead to the same cluster',
  validate: ({ metadata }, _before, { machinesIn }) => when(machinesIn(metadata.name).length > 0),
};

/** Cluster. */
export const clusterTable: Table<Cluster> = {
  kind: clusterKind,
  guarded: ['metadata'],
  defaults: [createdBy],
  rules: [createdByStays, priorityInRange, kubeconfigMoves, deletionProtected, machinesLeft],
};
