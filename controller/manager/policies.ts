import {
  ANNOTATION_CORDONED,
  ANNOTATION_NODE_MACHINE,
  ANNOTATION_NODE_NAMESPACE,
  ANNOTATION_NOT_MANAGED,
  ANNOTATION_PREFER_NO_SCHEDULE,
  ANNOTATION_SCALE_DOWN_DISABLED,
  ANNOTATION_SCALE_DOWN_DISABLED_BY_MCM,
  ANNOTATION_UPDATE_FAILED_REASON,
  ANNOTATION_UPDATE_FOR,
  CONTROL_PLANE_LABELS,
  LABEL_CANDIDATE,
  LABEL_INCARNATION,
  LABEL_MACHINE_NAME,
  LABEL_SELECTED,
  LABEL_UPDATE_RESULT,
  NODE_FINALIZER,
  SECRET_FINALIZER,
  TAINT_CRITICAL_COMPONENTS,
} from '../../schemas/keys.ts';
import { celText, celTexts, NODES_POLICY, type Policy } from '../../schemas/policy.ts';

/** What the controller may not do although its roles let it: RBAC knows verbs and kinds, not whose an object is. */

/** Whether two maps are the same but for these keys. */
const celSameBut = (map: string, other: string, keys: readonly string[]): string =>
  `${map}.all(key, key in ${celTexts(keys)} || (key in ${other} && ${other}[key] == ${map}[key])) && ` +
  `${other}.all(key, key in ${celTexts(keys)} || key in ${map})`;

/** Whether nothing of the metadata that people write differs, but for one finalizer. */
const celFinalizersBut = (finalizer: string): string =>
  ['object', 'oldObject']
    .map((object) => `${object}.metadata.?finalizers.orValue([]).filter(one, one != ${celText(finalizer)})`)
    .join(' == ');

const celSame = (...fields: readonly string[]): string =>
  fields.map((field) => `object.${field} == oldObject.${field}`).join(' && ');

/** Whether the taints are the same but for those of these keys. */
const celTaintsBut = (keys: readonly string[]): string =>
  ['object', 'oldObject']
    .map((object) => `${object}.?spec.?taints.orValue([]).filter(one, !(one.key in ${celTexts(keys)}))`)
    .join(' == ');

/** What a rollout writes on Nodes (hack/spec/mcm.md 4.7). */
const ROLLED = {
  labels: [LABEL_CANDIDATE, LABEL_SELECTED, LABEL_UPDATE_RESULT],
  annotations: [
    ANNOTATION_SCALE_DOWN_DISABLED,
    ANNOTATION_SCALE_DOWN_DISABLED_BY_MCM,
    ANNOTATION_CORDONED,
    ANNOTATION_UPDATE_FAILED_REASON,
    ANNOTATION_UPDATE_FOR,
  ],
  taints: [ANNOTATION_PREFER_NO_SCHEDULE, TAINT_CRITICAL_COMPONENTS],
};

/** Nodes that are nobody's, or others', stay as they are; that of a control plane is never claimed. */
const nodes: Policy = {
  id: NODES_POLICY,
  account: 'controller',
  why: 'the controller touches Nodes of its machines alone, and claims none of a control plane',
  asked: [
    { group: '', version: 'v1', resources: ['nodes'], operations: ['CREATE', 'UPDATE', 'DELETE'] },
    { group: '', version: 'v1', resources: ['nodes/status'], operations: ['UPDATE'] },
  ],
  variables: {
    isOwn: `request.operation != 'CREATE' && (oldObject.metadata.?annotations[?${celText(ANNOTATION_NODE_MACHINE)}].orValue('') != '' || oldObject.?spec.?providerID.orValue('').startsWith('virtual://'))`,
    isControlPlane: `request.operation != 'CREATE' && ${celTexts(CONTROL_PLANE_LABELS)}.exists(key, key in oldObject.metadata.?labels.orValue({}))`,
    isNamed: `request.operation == 'UPDATE' && oldObject.metadata.?labels[?${celText(LABEL_MACHINE_NAME)}].orValue('') != ''`,
    labels: "request.operation == 'UPDATE' ? object.metadata.?labels.orValue({}) : {}",
    oldLabels: "request.operation == 'UPDATE' ? oldObject.metadata.?labels.orValue({}) : {}",
    annotations: "request.operation == 'UPDATE' ? object.metadata.?annotations.orValue({}) : {}",
    oldAnnotations: "request.operation == 'UPDATE' ? oldObject.metadata.?annotations.orValue({}) : {}",
    isClaimed: `variables.annotations[?${celText(ANNOTATION_NODE_MACHINE)}].orValue('') != ''`,
    isMarked: `request.operation == 'UPDATE' && ${celSame('?spec', 'metadata.?labels', 'metadata.?ownerReferences')} && ${celSameBut('variables.annotations', 'variables.oldAnnotations', [ANNOTATION_NOT_MANAGED])} && ${celFinalizersBut(NODE_FINALIZER)}`,
    isRolled: `variables.isNamed && !variables.isControlPlane && ${celSame('?spec.?providerID', '?spec.?podCIDR', '?spec.?podCIDRs', 'metadata.?ownerReferences', 'metadata.?finalizers')} && ${celSameBut('variables.labels', 'variables.oldLabels', ROLLED.labels)} && ${celSameBut('variables.annotations', 'variables.oldAnnotations', ROLLED.annotations)} && ${celTaintsBut(ROLLED.taints)}`,
  },
  judged: [
    {
      expression: "request.operation != 'CREATE' || object.?spec.?providerID.orValue('').startsWith('virtual://')",
      message: 'the controller registers Nodes of simulated machines alone: spec.providerID must begin with virtual://',
    },
    {
      expression:
        "request.operation != 'UPDATE' || has(request.subResource) || variables.isOwn || variables.isMarked || variables.isRolled || (variables.isClaimed && !variables.isControlPlane)",
      message: `this Node has no machine of the controller's: it is changed only to mark that, for a rollout if MCM’s machine controller has named it (label ${LABEL_MACHINE_NAME}), or to claim it by the annotation ${ANNOTATION_NODE_MACHINE}, and one of a control plane is never claimed; whoever made it by a machine annotates it by hand, with ${ANNOTATION_NODE_NAMESPACE} as well`,
    },
    {
      expression: '!has(request.subResource) || variables.isOwn',
      message: `the status of a Node is written only once the Node is claimed by the annotation ${ANNOTATION_NODE_MACHINE}`,
    },
    {
      expression: "request.operation != 'DELETE' || variables.isOwn",
      message: `only a Node that was claimed before, by the annotation ${ANNOTATION_NODE_MACHINE}, is deleted`,
    },
  ],
};

const TOKEN = 'bootstrap.kubernetes.io/token';

/** Whether a Secret, before or after, is a bootstrap token of ours. */
const celIsToken = (object: string): string =>
  `request.namespace == 'kube-system' && ${object}.?type.orValue('') == '${TOKEN}' && ${object}.metadata.?labels[?${celText(LABEL_INCARNATION)}].hasValue()`;

/** Other Secrets are held by a finalizer, and no more. */
const secrets: Policy = {
  id: 'secrets',
  account: 'controller',
  why: 'the controller writes bootstrap tokens of its own, and of other Secrets its finalizer alone',
  asked: [{ group: '', version: 'v1', resources: ['secrets'], operations: ['CREATE', 'UPDATE', 'DELETE'] }],
  variables: {
    becomesToken: `request.operation != 'DELETE' && ${celIsToken('object')}`,
    wasToken: `request.operation != 'CREATE' && ${celIsToken('oldObject')}`,
    isHeld: `request.operation == 'UPDATE' && ${celSame('?data', '?type', '?immutable', 'metadata.?labels', 'metadata.?annotations', 'metadata.?ownerReferences')} && ${celFinalizersBut(SECRET_FINALIZER)}`,
  },
  judged: [
    {
      expression: "request.operation != 'CREATE' || variables.becomesToken",
      message: `the controller makes no Secret but bootstrap tokens in kube-system, of type ${TOKEN} and with its label ${LABEL_INCARNATION}`,
    },
    {
      expression: "request.operation != 'UPDATE' || variables.isHeld || (variables.becomesToken && variables.wasToken)",
      message: `the controller changes nothing of a Secret but its finalizer ${SECRET_FINALIZER}, except of its own bootstrap tokens`,
    },
    {
      expression: "request.operation != 'DELETE' || variables.wasToken",
      message: 'the controller deletes no Secret but its own bootstrap tokens',
    },
  ],
};

/** Every policy for the controller's account, in the cluster of the Machines and in every target. */
export const policies: readonly Policy[] = [nodes, secrets];
