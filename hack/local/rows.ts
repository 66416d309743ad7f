import type { Node } from '../../controller/runtime/k8s/core.ts';
import type { Machine } from '../../schemas/machine.ts';

/** One machine as people look at it. */
export interface Row {
  machine: string;
  /** Its phase; `Creating` while it has none, `Deleting` as soon as it is being deleted. */
  phase: string;
  /** What the controller waits for or does. */
  reason: string;
  node: 'none' | 'not ready' | 'ready';
}

/** The rows of all machines, by name. `nodes` finds a Node by its name. */
export const rowsOf = (machines: readonly Machine[], nodes: (name: string) => Node | undefined): Row[] =>
  machines
    .map((machine) => rowOf(machine, nodes(machine.status?.nodeRef?.name ?? machine.metadata.name)))
    .sort((one, other) => one.machine.localeCompare(other.machine));

function rowOf({ metadata, status }: Machine, node: Node | undefined): Row {
  const phase = status?.currentStatus?.phase || 'Creating';
  return {
    machine: metadata.name,
    phase: metadata.deletionTimestamp ? 'Deleting' : phase,
    reason: status?.deciding?.reason ?? '',
    node: node === undefined ? 'none' : isReady(node) ? 'ready' : 'not ready',
  };
}

const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

/** Whether the herd has as many machines as it shall have, and each does its work. */
export const isComplete = (rows: readonly Row[], wanted: number): boolean =>
  rows.length === wanted && rows.every(({ phase, node }) => phase === 'Running' && node === 'ready');
