import { drain } from '../../controller/drain/flow/view.fixture.ts';
import { plan } from '../../controller/machine/flow/flow.ts';
import { idle, readyNode, view } from '../../controller/machine/flow/view.fixture.ts';
import type { MachineAction, MachineView } from '../../controller/machine/flow/view.ts';
import { statusOf } from '../../controller/machine/status/status.ts';
import { inPlaceReason } from '../../controller/nodes/change.ts';
import type { Node } from '../../controller/runtime/k8s/core.ts';
import type { Machine } from '../../schemas/machine.ts';
import { machine as fixture, node } from '../fixtures/objects.ts';
import type { Herd } from './herd.ts';

/** Most actions in a row for one machine. */
const CIRCLES = 50;

const vmOf = ({ metadata }: Machine) => ({ providerID: `virtual:///${metadata.uid}`, nodeName: metadata.name });

/** The machine has a VM of its own, and its Node is Ready. */
export function join(herd: Herd, machine: Machine): void {
  const { name, uid = '' } = machine.metadata;
  const { providerID } = vmOf(machine);
  const { metadata } = fixture({ metadata: { name, uid, labels: { node: name } }, spec: { providerID } });
  const { labels, annotations, finalizers } = metadata;
  herd.patchMachine(machine, { metadata: { labels, annotations, finalizers }, spec: { providerID } });
  const marks = {
    labels: { 'node.gardener.cloud/machine-name': name },
    annotations: { 'machine.sapcloud.io/machine': name },
  };
  herd.nodes?.set(uid, node({ metadata: { name, uid: `node-${uid}`, ...marks }, spec: { providerID } }));
}

/** Passes over a machine that has joined, the real plan each time, until there is nothing to do. */
export function machinePass(herd: Herd, { metadata: { uid } }: Machine): void {
  for (let pass = 0; pass < CIRCLES; pass += 1) {
    const machine = herd.machines.find(({ metadata }) => metadata.uid === uid);
    const object = herd.nodes?.get(uid ?? '');
    if (!machine || !object || machine.metadata.deletionTimestamp) return;
    const seen = viewOf(herd, machine, object);
    const decision = plan(seen);
    const status = statusOf(seen, decision, herd.timestamp);
    if (status) herd.patchMachine(machine, { status });
    if (decision.outcome.kind !== 'act') {
      if (!status || status.currentStatus?.phase === machine.status?.currentStatus?.phase) return;
    } else carryOut(herd, machine, decision.outcome.action);
  }
  throw new Error(`machine ${uid} acts without an end`);
}

function viewOf(herd: Herd, machine: Machine, object: Node): MachineView {
  const conditions = object.status?.conditions ?? [];
  const ready = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  const { name, uid = '' } = object.metadata;
  return view({
    now: herd.now,
    machine,
    vm: { at: 'present', initialized: true, ...vmOf(machine) },
    calls: { ...idle, askedAt: herd.now },
    node: { ...readyNode, name, uid, object, conditions, ready },
    ...(inPlaceReason(object) === 'SelectedForUpdate' && { drain: drain({ now: herd.now }) }),
  });
}

function carryOut(herd: Herd, machine: Machine, action: MachineAction): void {
  switch (action.do) {
    case 'changeNode':
      herd.changeNode(machine, action.change);
      return;
    case 'annotate':
      herd.patchMachine(machine, { metadata: { annotations: action.annotations, labels: action.labels } });
      return;
    default:
      throw new Error(`nothing here leads to: ${action.do}`);
  }
}
