import { type Machine, machineKind } from '../../../schemas/machine.ts';
import { joinedCluster } from '../../../schemas/rules/cluster.ts';
import { heldFinalizer, machineClaims } from '../../admission/protectedkeys.ts';
import { when } from '../../admission/rule.ts';
import type { Table } from '../../admission/table.ts';
import { creationTimeout, preserve, scalerMarks } from '../annotations.ts';
import { classNamed } from '../class.ts';
import {
  CLUSTER_FIELD,
  clusterBeforeEnd,
  clusterForAutoscaler,
  clusterSetOnce,
  clusterThere,
} from '../clusterlabel.ts';
import { createdBy, createdByStays } from '../createdby.ts';
import { madeFromRules } from '../driver.ts';
import { inlineInUse } from '../immutability.ts';
import { nodeMetadata } from '../metadata.ts';
import { nameShort } from '../names.ts';
import { ownSpec } from '../places.ts';
import { notSuspendedOnCreate, restartAhead, restartNow } from '../power.ts';
import { priorityInRange } from '../priority.ts';
import { taintRules } from '../taints.ts';

/** Machine. */
export const machineTable: Table<Machine> = {
  kind: machineKind,
  guarded: ['metadata', 'spec.nodeTemplate.metadata'],
  claims: machineClaims,
  held: heldFinalizer,
  defaults: [createdBy, restartNow, clusterForAutoscaler],
  rules: [
    createdByStays,
    priorityInRange,
    nameShort,
    creationTimeout,
    ...scalerMarks,
    preserve,
    classNamed(ownSpec),
    ...madeFromRules(ownSpec),
    ...nodeMetadata,
    ...taintRules(ownSpec),
    notSuspendedOnCreate,
    restartAhead,
    inlineInUse,
    clusterSetOnce,
    clusterBeforeEnd,
    ...clusterThere,
    {
      id: 'cluster-before-vm',
      on: ['update'],
      field: CLUSTER_FIELD,
      message:
        'can no longer be set: the machine has a VM (spec.providerID), and a VM does not move into a cluster; make a new Machine that carries the label',
      validate: (now, before) =>
        when(Boolean(before?.spec?.providerID) && joinedCluster(now.metadata.labels, before?.metadata.labels)),
    },
  ],
};
