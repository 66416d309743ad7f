import type { MachineSpec } from '../../../schemas/machinespec.ts';
import { isKubeletLabel } from '../../../schemas/rules/nodelabel.ts';
import { BORN, inPhase, machineClass, node } from '../../../test/fixtures/objects.ts';
import { type NodeChange, objectPatch } from '../../nodes/change.ts';
import type { Taint } from '../../runtime/k8s/core.ts';
import { askedBy, recordGiven } from './nodegiven.ts';
import { nodeSynced } from './nodesync.ts';
import { idle, readyNode, recorded, view, vm } from './view.fixture.ts';
import type { MachineView } from './view.ts';

/** Key of the record of what was last applied to a Node. */
export const TEMPLATE = 'node.machine.sapcloud.io/last-applied-anno-labels-taints';

/** Key of the Machine's own record of what its Node has from it. */
export const GIVEN = 'protected.drover.dev/node-given';

/** A taint with the effect NoSchedule. */
export const taint = (key: string, value?: string): Taint => ({
  key,
  effect: 'NoSchedule',
  ...(value !== undefined && { value }),
});

/** What a Machine and its class ask for, and what its Node shows. */
export interface Parts {
  template?: unknown;
  taints?: Taint[];
  node?: Parameters<typeof node>[0];
  capacity?: object;
  /** The template, of which the Machine has noted that the Node has all of it; by default that which it has. */
  given?: unknown;
}

/** A nodeTemplate. */
export const asks = (labels: object, annotations: object = {}, taints: Taint[] = []) => ({
  metadata: { labels, annotations },
  spec: { taints },
});
/** Metadata of a Node that records this template. */
export const last = (template: unknown, more: Record<string, string> = {}) => ({
  annotations: { [TEMPLATE]: typeof template === 'string' ? template : JSON.stringify(template), ...more },
});

/** What the Machine notes of a template that its Node has. */
function noted(template: unknown): Record<string, string> {
  const { labels, taints } = askedBy(template);
  const [text] = Object.values(
    recordGiven({ labels: Object.keys(labels).filter((key) => !isKubeletLabel(key)), taints }),
  );
  return text ? { [GIVEN]: text } : {};
}

/** A Machine that runs, with its Node. */
export function seen(
  { template, taints, node: changes = {}, capacity, given = template }: Parts,
  facts: Partial<MachineView> = {},
): MachineView {
  const spec = {
    ...recorded.spec,
    ...(template ? { nodeTemplate: template as NonNullable<MachineSpec['nodeTemplate']> } : {}),
    ...(taints && { taints }),
  };
  const classes = capacity && { nodeTemplate: { virtualCapacity: capacity } as never };
  return view({
    machine: inPhase('Running', 0, {
      ...recorded,
      metadata: { ...recorded.metadata, annotations: noted(given) },
      spec,
      status: { nodeRef: { name: 'm', uid: 'uid-node' } },
    } as never),
    class: { at: 'ours', class: machineClass(classes) },
    vm,
    calls: { ...idle, askedAt: BORN + 60_000 },
    node: { ...readyNode, object: node(changes) },
    ...facts,
  });
}

/** The change that the step asks for, with the step's reason; undefined when it is satisfied. */
export function change(seenView: MachineView, step = nodeSynced): ({ reason: string } & NodeChange) | undefined {
  const outcome = step(seenView);
  if (outcome.kind !== 'act' || outcome.action.do !== 'changeNode') return undefined;
  return { reason: outcome.reason, ...outcome.action.change };
}

/** The list of taints that the change would write. */
export function taintsAfter(seenView: MachineView): Taint[] | undefined {
  if (seenView.node.at !== 'present') return undefined;
  const { object } = seenView.node;
  const patch = objectPatch(object, change(seenView) ?? {}) as { spec?: { taints?: Taint[] } } | undefined;
  return patch?.spec?.taints;
}
