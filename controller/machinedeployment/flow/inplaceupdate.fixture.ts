import type { Machine } from '../../../schemas/machine.ts';
import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import { at, BORN, inPhase, machineDeployment, node } from '../../../test/fixtures/objects.ts';
import { here } from '../../model/readiness.fixture.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import { openGate } from '../../safety/outage/gates.fixture.ts';
import { setOf } from './view.fixture.ts';
import { numbersOf, type SetFact, type Sorted } from './view.ts';

const CANDIDATE = 'node.machine.sapcloud.io/candidate-for-update';
const SELECTED = 'node.machine.sapcloud.io/selected-for-update';
const RESULT = 'node.machine.sapcloud.io/update-result';
const AVOIDED = { key: 'deployment.machine.sapcloud.io/prefer-no-schedule', value: 'True', effect: 'PreferNoSchedule' };

/** How a machine of an update in place stands. */
export interface Stands {
  phase?: string;
  /** Reason of the Node's condition, and of the machine's copy of it. */
  reason?: string;
  candidate?: boolean;
  selected?: boolean;
  result?: string;
  /** Has just changed its set. */
  arriving?: boolean;
  avoided?: boolean;
  /** It has yet to join. */
  nodeless?: boolean;
  leaving?: boolean;
  paused?: boolean;
  born?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

/** A candidate that is as it was. */
export const waiting: Stands = { candidate: true, avoided: true, reason: 'CandidateForUpdate' };
/** One that is being updated. */
export const working: Stands = { ...waiting, selected: true, reason: 'ReadyForUpdate', phase: 'InPlaceUpdating' };
/** One that is done. */
export const done: Stands = { ...working, reason: 'UpdateSuccessful', result: 'successful', phase: 'Running' };

/** A deployment that is updated in place. */
export const updatedInPlace = (
  replicas: number,
  limits: { maxSurge?: number; maxUnavailable?: number; orchestrationType?: 'Auto' | 'Manual' } = {},
): MachineDeployment =>
  machineDeployment({
    spec: {
      replicas,
      strategy: {
        type: 'InPlaceUpdate',
        inPlaceUpdate: { maxSurge: 0, maxUnavailable: 1, orchestrationType: 'Auto', ...limits },
      },
    },
  });

/** A set and its machines; what it wants is what it has, unless said. */
export interface Herd {
  wants?: number;
  machines: readonly Stands[];
  /** It makes no more machines. */
  stopped?: boolean;
}

/** A view of a new and an old set with their machines and Nodes. */
export function inPlaceView(deployment: MachineDeployment, fresh: Herd, old: Herd): Sorted {
  const nodes = new Map<string, Node>();
  const factOf = (name: string, owner: MachineDeployment, herd: Herd): SetFact => {
    const { wants = herd.machines.length, machines, stopped } = herd;
    const { set } = setOf(owner, name, { wants });
    const metadata = stopped
      ? { ...set.metadata, labels: { ...set.metadata.labels, 'node.machine.sapcloud.io/scale-up-disabled': 'true' } }
      : set.metadata;
    return {
      set: { ...set, metadata },
      machines: machines.map((stands, index) => machineOf(`${name}-${index}`, { stands, nodes, set })),
    };
  };
  const before = machineDeployment({ spec: { template: { spec: { class: { name: 'before' } } } } });
  const [newSet, oldSet] = [factOf('new', deployment, fresh), factOf('old', before, old)];
  return {
    now: BORN + 60_000,
    gate: openGate,
    cluster: here,
    deployment,
    class: undefined,
    sets: [oldSet, newSet],
    nodes,
    refusedNodes: new Set(),
    disablesScaleDown: false,
    refused: new Set(),
    strays: [],
    orphans: [],
    numbers: numbersOf(deployment),
    newSet,
    oldSets: [oldSet],
  };
}

interface Place {
  stands: Stands;
  nodes: Map<string, Node>;
  set: SetFact['set'];
}

function machineOf(name: string, { stands, nodes, set }: Place): Machine {
  const { phase = 'Running', reason, leaving, arriving, born = 0 } = stands;
  const conditions = reason ? [{ type: 'InPlaceUpdate', status: 'True', reason }] : [];
  const uid = `uid-${name}`;
  if (!stands.nodeless) nodes.set(uid, nodeOf(name, stands, conditions));
  return inPhase(phase, 0, {
    metadata: {
      name,
      uid,
      creationTimestamp: at(born),
      labels: { ...set.spec?.template?.metadata?.labels, node: name, ...(arriving && { [RESULT]: 'successful' }) },
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'MachineSet',
          name: set.metadata.name,
          uid: set.metadata.uid ?? '',
          controller: true,
        },
      ],
      ...(leaving && { deletionTimestamp: at(1) }),
      ...(stands.paused && { annotations: { 'cluster.x-k8s.io/paused': '' } }),
    },
    status: { conditions },
  });
}

function nodeOf(
  name: string,
  stands: Stands,
  conditions: Array<{ type: string; status: string; reason: string }>,
): Node {
  const { candidate, selected, result, avoided, labels, annotations } = stands;
  return node({
    metadata: {
      name,
      ...(annotations && { annotations }),
      labels: {
        ...(candidate && { [CANDIDATE]: 'true' }),
        ...(selected && { [SELECTED]: 'true' }),
        ...(result && { [RESULT]: result }),
        ...labels,
      },
    },
    spec: { unschedulable: selected ?? false, taints: avoided ? [AVOIDED] : [] },
    status: { conditions: [{ type: 'Ready', status: 'True' }, ...conditions] },
  });
}
