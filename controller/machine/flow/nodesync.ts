import {
  ANNOTATION_APPLIED_CAPACITY,
  ANNOTATION_APPLIED_TEMPLATE,
  ANNOTATION_CORDONED,
  ANNOTATION_NODE_CLUSTER,
  ANNOTATION_NODE_MACHINE,
  ANNOTATION_NODE_NAMESPACE,
  ANNOTATION_NOT_MANAGED,
  ANNOTATION_ORPHAN_DELETION,
  ANNOTATION_PRESERVE,
  ANNOTATION_SCALE_DOWN_DISABLED,
  ANNOTATION_SCALE_DOWN_DISABLED_BY_MCM,
  ANNOTATION_TRIGGER_DELETION,
  ANNOTATION_UPDATE_FAILED_REASON,
  ANNOTATION_UPDATE_FOR,
  LABEL_CANDIDATE,
  LABEL_MACHINE_NAME,
  LABEL_SELECTED,
  LABEL_UPDATE_RESULT,
} from '../../../schemas/keys.ts';
import type { Machine } from '../../../schemas/machine.ts';
import { isKubeletLabel } from '../../../schemas/rules/nodelabel.ts';
import { isLabelValue } from '../../../schemas/selector.ts';
import { act, pass } from '../../flow/flow.ts';
import { phaseOf } from '../../model/phases.ts';
import { amongTaints, lacking, type NodeChange, staysForMcm } from '../../nodes/change.ts';
import { ownership } from '../../nodes/owner.ts';
import { scaleDownDisabled } from '../../nodes/scaledowndisabled.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import { readmission } from './drain.ts';
import type { Answer } from './drivercall.ts';
import { nodeHealthy } from './health.ts';
import {
  type Asked,
  adopted,
  askedBy,
  askedTaints,
  givenOf,
  givenTo,
  isSameAsked,
  lastAsked,
  lastCapacity,
  ownTaints,
  recordGiven,
} from './nodegiven.ts';
import { type MachineView, writeKey } from './view.ts';

/**
 * Keys of Nodes that are written as things happen, or say whose a Node is: a template that names one of them would undo it again
 * and again, or claim the Node for somebody else (hack/decisions/0046).
 */
const NOT_SYNCED: ReadonlySet<string> = new Set([
  ANNOTATION_NODE_CLUSTER,
  ANNOTATION_NODE_MACHINE,
  ANNOTATION_NODE_NAMESPACE,
  ANNOTATION_NOT_MANAGED,
  LABEL_MACHINE_NAME,
  ANNOTATION_APPLIED_CAPACITY,
  ANNOTATION_APPLIED_TEMPLATE,
  ANNOTATION_CORDONED,
  ANNOTATION_ORPHAN_DELETION,
  ANNOTATION_PRESERVE,
  ANNOTATION_SCALE_DOWN_DISABLED_BY_MCM,
  ANNOTATION_TRIGGER_DELETION,
  ANNOTATION_UPDATE_FAILED_REASON,
  ANNOTATION_UPDATE_FOR,
  LABEL_CANDIDATE,
  LABEL_SELECTED,
  LABEL_UPDATE_RESULT,
]);

const NOTHING: Asked = { labels: {}, annotations: {}, taints: [] };

/**
 * The Node shows what its Machine and class ask of it (hack/spec/mcm.md 6.9): labels, annotations and taints of the nodeTemplate, with
 * removal; the additive taints of the spec; virtual capacity; and whose it is. The Node's record says what was applied of what its
 * kubelet may change itself, the Machine's what else (hack/decisions/0046). A Node that is being deleted goes: MCM's finalizer, which
 * nothing else removes, is on Nodes that MCM had before (hack/spec/mcm.md 2.1). Only acts or passes, so it holds up nothing; and a write that is
 * refused holds up none of its others but those that rest on it.
 */
export function nodeSynced(view: MachineView): Answer {
  if (view.node.at !== 'present') return pass;
  for (const answer of answers(view, view.node)) {
    const isRefused = answer.kind === 'act' && view.refused.has(writeKey('NodeSynced', answer.action));
    if (answer.kind !== 'pass' && !isRefused) return answer;
  }
  return pass;
}

/** What the step wants done, most pressing first. */
function* answers(view: MachineView, { object: node, deleting, name }: PresentNode): Iterable<Answer> {
  if (deleting) return staysForMcm(node) ? yield act('ReleaseNode', { do: 'releaseNode', name }) : undefined;
  const given = adopted(view, node) ?? givenTo(view, node);
  if (given) yield act('RecordNodeTemplate', { do: 'annotate', annotations: recordGiven(given) });
  const capacity = lacking(node, { capacity: capacityChange(view, node) });
  if (capacity) yield changed(node, capacity);
  // A record must never claim that something was taken off that may still be there, nor be missing of what is put on.
  const change = given ? undefined : lacking(node, objectChange(view, node, { isCapacitySynced: !capacity }));
  if (change && view.disablesScaleDown && !asksOfScaleDown(change))
    yield changed(node, withScaleDownDisabled(node, change));
  if (change) yield changed(node, change);
  yield readmitted(node);
}

type PresentNode = Extract<MachineView['node'], { at: 'present' }>;

function changed(node: Node, change: NodeChange): Answer {
  const isReadable = lastAsked(node) !== undefined && lastCapacity(node) !== undefined;
  return act(isReadable ? 'SyncNode' : 'ReplaceLastApplied', { do: 'changeNode', change });
}

/** Comes last: who writes such a condition again and again holds up nothing that is asked of the Node. */
function readmitted(node: Node): Answer {
  const change = readmission(node);
  return change ? act('UncordonNode', { do: 'changeNode', change }) : pass;
}

/** The scale-down of a Node that joins during a rollout is disabled at once: its deployment would do so next (hack/decisions/0063). */
const withScaleDownDisabled = (node: Node, change: NodeChange): NodeChange => ({
  ...change,
  annotations: { ...change.annotations, ...scaleDownDisabled(node).annotations },
});

/** The template's word goes first. */
const asksOfScaleDown = ({ annotations }: NodeChange): boolean =>
  annotations?.[ANNOTATION_SCALE_DOWN_DISABLED] !== undefined;

function objectChange(view: MachineView, node: Node, { isCapacitySynced }: { isCapacitySynced: boolean }): NodeChange {
  const { machine } = view;
  const asked = askedBy(machine.spec?.nodeTemplate);
  const before = lastAsked(node) ?? NOTHING;
  const labels = free(node, asked.labels);
  const had = [...stillOn(node, 'labels', before).filter(isKubeletLabel), ...givenOf(machine).labels];
  const annotations = free(node, asked.annotations);
  return {
    labels: { ...left(had, labels), ...labels, ...nameLabel(machine) },
    annotations: {
      ...left(stillOn(node, 'annotations', before), annotations),
      ...annotations,
      ...ownership(machine),
      ...templateRecord(view, node),
      ...(isCapacitySynced && capacityRecord(view, node)),
    },
    taints: taintChange(view, node),
  };
}

/** What the template put on the Node goes with it; what else stands there is not ours to take off. */
function taintChange(view: MachineView, { spec }: Node): NonNullable<NodeChange['taints']> {
  const { startupTaint, machine } = view;
  const kept = askedTaints(view);
  const seeds = ownTaints(view, machine.spec?.taints ?? []);
  const isThere = amongTaints([...kept, ...(spec?.taints ?? [])]);
  const missing = seeds.filter((seed) => !isThere(seed));
  const isAsked = amongTaints([...kept, ...seeds]);
  const gone = ownTaints(view, givenOf(machine).taints).filter((one) => !isAsked(one));
  return { add: [...kept, ...missing], remove: startupTaint && isOpening(view) ? [...gone, startupTaint] : gone };
}

/** A name may be longer than a label's value. */
const nameLabel = ({ metadata: { name } }: Machine): Record<string, string> =>
  isLabelValue(name) ? { [LABEL_MACHINE_NAME]: name } : {};

/** Written when it says something else, not when it says the same in other words. */
function templateRecord({ machine }: MachineView, node: Node): NodeChange['annotations'] {
  const template = machine.spec?.nodeTemplate;
  const before = lastAsked(node);
  if (before && isSameAsked(before, askedBy(template))) return {};
  return { [ANNOTATION_APPLIED_TEMPLATE]: template ? JSON.stringify(template) : null };
}

function capacityRecord(view: MachineView, node: Node): NodeChange['annotations'] {
  const wanted = virtualCapacity(view);
  if (!wanted) return {};
  const before = lastCapacity(node);
  if (before && Bun.deepEquals(before, wanted)) return {};
  return { [ANNOTATION_APPLIED_CAPACITY]: Object.keys(wanted).length > 0 ? JSON.stringify(wanted) : null };
}

function capacityChange(view: MachineView, node: Node): Record<string, string | null> {
  const wanted = virtualCapacity(view);
  const before = lastCapacity(node) ?? {};
  const had = Object.keys(node.status?.capacity ?? {}).filter((resource) => Object.hasOwn(before, resource));
  return wanted ? { ...left(had, wanted), ...wanted } : {};
}

/** Undefined while the class is not known: then nothing is concluded from its silence. */
function virtualCapacity({ class: fact }: MachineView): Record<string, string> | undefined {
  if (fact.at !== 'ours') return undefined;
  const asked = Object.entries(fact.class.nodeTemplate?.virtualCapacity ?? {});
  return Object.fromEntries(asked.map(([resource, quantity]) => [resource, `${quantity}`]));
}

/** Keys that were applied and are no longer asked for, to be taken off. */
const left = (before: readonly string[], asked: Asked['labels']): Record<string, null> =>
  Object.fromEntries(before.filter((key) => !Object.hasOwn(asked, key)).map((key) => [key, null]));

/** Keys of labels, or of annotations, that a template may set on the Node at this time. */
function freeOn({ metadata }: Node): (key: string) => boolean {
  const isOurs = metadata.annotations?.[ANNOTATION_SCALE_DOWN_DISABLED_BY_MCM] !== undefined;
  return (key) => !NOT_SYNCED.has(key) && !(isOurs && key === ANNOTATION_SCALE_DOWN_DISABLED);
}

function free(node: Node, texts: Asked['labels']): Asked['labels'] {
  const isFree = freeOn(node);
  return Object.fromEntries(Object.entries(texts).filter(([key]) => isFree(key)));
}

/** Keys that the record names and the Node has: its record may name thousands that are not there (hack/decisions/0028 T82). */
function stillOn(node: Node, map: 'labels' | 'annotations', { [map]: before }: Asked): string[] {
  const isFree = freeOn(node);
  return Object.keys(node.metadata[map] ?? {}).filter((key) => Object.hasOwn(before, key) && isFree(key));
}

/**
 * The taint with which the kubelet registered is off, so that pods land. It goes with whatever else the Node
 * lacks, in one write; this is for a Node of which that write is refused. Only acts or passes.
 */
export function startupTaintRemoved(view: MachineView): Answer {
  const { node, startupTaint } = view;
  if (node.at !== 'present' || !startupTaint || !isOpening(view)) return pass;
  const change = lacking(node.object, { taints: { remove: [startupTaint] } });
  return change ? act('RemoveStartupTaint', { do: 'changeNode', change }) : pass;
}

/** The Machine begins to run, for the first time, again, or with a Node that registered anew; later the taint is anybody's. */
export function isOpening(view: MachineView): boolean {
  const { node, machine } = view;
  if (node.at !== 'present' || nodeHealthy(view).kind !== 'pass') return false;
  const runs = phaseOf(machine) === 'Running' && machine.status?.nodeRef?.uid === node.uid;
  return !runs;
}
