import type { MachineDeployment } from '../../../schemas/machinedeployment.ts';
import { at, BORN, inPhase, machineSet } from '../../../test/fixtures/objects.ts';
import { here } from '../../model/readiness.fixture.ts';
import { openGate } from '../../safety/outage/gates.fixture.ts';
import { newSet } from './revision.ts';
import { type MachineDeploymentView, numbersOf, type SetFact, sizeAnnotations } from './view.ts';

/** How a set of the fixtures stands. */
export interface Size {
  /** `spec.replicas`. */
  wants: number;
  /** Machines that are Running and stay; as many as it wants when absent. */
  available?: number;
  /** Machines beyond those, on their way in or out. */
  others?: number;
  /** Machines that Failed and are kept, beyond those. */
  preserved?: number;
  /** The deployment's replicas and most machines when the set was last scaled. */
  scaledFor?: [desired: number, most: number];
}

/** A set as it was made for the deployment, in the size given. */
export function setOf(deployment: MachineDeployment, name: string, size: Size): SetFact {
  const made = newSet(deployment, [], { ...numbersOf(deployment), initial: size.wants });
  const [replicas, most] = size.scaledFor ?? [deployment.spec.replicas ?? 0, NaN];
  const annotations = size.scaledFor
    ? sizeAnnotations({ replicas, surge: most - replicas, unavailable: 0 })
    : sizeAnnotations(numbersOf(deployment));
  const base = machineSet({ metadata: { name, uid: `uid-${name}` } });
  const metadata = {
    ...base.metadata,
    labels: made.metadata.labels,
    annotations: { ...made.metadata.annotations, ...annotations },
  };
  return { set: { ...base, metadata, spec: { ...made.spec, replicas: size.wants } }, machines: machinesOf(name, size) };
}

function machinesOf(name: string, { wants, available = wants, others = 0, preserved = 0 }: Size) {
  const kept = { status: { currentStatus: { preserveExpiryTime: at(3_600) } } };
  return Array.from({ length: available + others + preserved }, (_, index) => {
    const phase = index < available ? 'Running' : 'Pending';
    const metadata = { name: `${name}-${index}`, uid: `uid-${name}-${index}` };
    return index < available + others ? inPhase(phase, 0, { metadata }) : inPhase('Failed', 0, { metadata, ...kept });
  });
}

/** A view a minute after the deployment was made. */
export const view = (deployment: MachineDeployment, sets: readonly SetFact[]): MachineDeploymentView => ({
  now: BORN + 60_000,
  gate: openGate,
  cluster: here,
  deployment,
  class: undefined,
  sets,
  nodes: new Map(),
  refusedNodes: new Set(),
  disablesScaleDown: true,
  refused: new Set(),
  strays: [],
  orphans: [],
});
