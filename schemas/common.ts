import * as v from 'valibot';
import { cel, optional, required } from './field.ts';
import { MOST_LABELS, MOST_PARTS, MOST_VALUES } from './selector.ts';

/** Shapes that several kinds use. */

/** The largest int32, the upper bound of every count. */
const INT32_MAX = 2_147_483_647;

const durationForm = /^(0|([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+)$/;

/** A duration as Go writes it, in plain ASCII: `90s`, `1h30m`, `2h0m0s` (MCM's metav1.Duration). */
export const duration = v.pipe(
  v.string(),
  v.regex(durationForm, 'must be a duration such as 90s or 1h30m'),
  v.title('duration such as 90s or 1h30m'),
);

/** A duration that must pass: with 0 the thing that it bounds could never happen. */
export const lastingDuration = v.pipe(
  duration,
  cel({
    rule: `!self.matches(${JSON.stringify(durationForm.source)}) || duration(self) > duration('0s')`,
    message: 'must be longer than 0; leave it out for the default',
  }),
);

/** A moment, RFC 3339. */
export const time = v.pipe(v.string(), v.isoTimestamp(), v.title('time'));

/** A Kubernetes quantity: a whole number, or text such as `500m` and `4Gi` (apimachinery `resource.Quantity`). */
export const quantity = v.pipe(
  v.union([
    v.pipe(v.number(), v.integer()),
    v.pipe(
      v.string(),
      v.regex(
        /^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$/,
      ),
    ),
  ]),
  v.title('quantity'),
);

/** Quantities by resource name. */
export const quantities = v.record(v.string(), quantity);

/** A number of machines, or a share of the replicas such as `25%`. */
export const countOrPercent = v.pipe(
  v.union([
    v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(INT32_MAX)),
    v.pipe(v.string(), v.regex(/^[0-9]+%$/)),
  ]),
  v.title('count or percent such as 1 (without quotes) or 25%'),
);

/** A whole number of 32 bits that is not negative: what people set. */
export const count = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(0),
  v.maxValue(INT32_MAX),
  v.metadata({ format: 'int32' }),
);

/** A whole number of 32 bits, as controllers report it. */
export const int32 = v.pipe(v.number(), v.integer(), v.metadata({ format: 'int32' }));

/** A whole number of 64 bits. */
export const int64 = v.pipe(v.number(), v.integer(), v.metadata({ format: 'int64' }));

/** Labels or annotations. */
export const stringMap = v.record(v.string(), v.string());

/** Any JSON object; the API server keeps what is in it. */
export const anyObject = v.record(v.string(), v.unknown());

/** One entry of `metadata.ownerReferences`. */
const ownerReference = v.object({
  apiVersion: v.string(),
  kind: v.string(),
  name: v.string(),
  uid: v.string(),
  controller: v.optional(v.boolean()),
  blockOwnerDeletion: v.optional(v.boolean()),
});

/** The parts of `metadata` that Drover reads. The API server checks metadata itself, so a CRD carries none of this. */
const objectMeta = v.object({
  name: v.string(),
  generateName: v.optional(v.string()),
  namespace: v.optional(v.string()),
  uid: v.optional(v.string()),
  resourceVersion: v.optional(v.string()),
  generation: v.optional(v.number()),
  creationTimestamp: v.optional(v.string()),
  deletionTimestamp: v.optional(v.string()),
  labels: v.optional(stringMap),
  annotations: v.optional(stringMap),
  finalizers: v.optional(v.array(v.string())),
  ownerReferences: v.optional(v.array(ownerReference)),
});

/** The parts of `metadata` that Drover reads. */
export type ObjectMeta = v.InferOutput<typeof objectMeta>;

/** What every kind has beside its own fields. */
export const objectEntries = {
  apiVersion: v.optional(v.string()),
  kind: v.optional(v.string()),
  metadata: objectMeta,
};

/** More keys nobody writes; what has more is compared with Nodes and other templates again and again (hack/decisions/0028 T55). */
const MOST_KEYS = 1_000;

const templateMap = v.pipe(stringMap, v.maxEntries(MOST_KEYS));

/** Metadata inside a template: labels and annotations count, of machines finalizers, too; anything else is kept and ignored. */
export const templateMeta = v.looseObject({
  labels: optional(templateMap, 'Labels of what is made from this template.'),
  annotations: optional(templateMap, 'Annotations of what is made from this template.'),
});

/** One requirement of a label selector. */
const selectorRequirement = v.object({
  key: required(v.string(), 'Label key that the requirement looks at.'),
  operator: required(v.picklist(['In', 'NotIn', 'Exists', 'DoesNotExist']), 'How the value is compared.'),
  values: optional(
    v.pipe(v.array(v.string()), v.maxLength(MOST_VALUES)),
    'Values to compare with: some for In and NotIn, none for the other two.',
  ),
});

/** A label selector (apimachinery `LabelSelector`). */
export const labelSelector = v.pipe(
  v.object({
    matchLabels: optional(
      v.pipe(stringMap, v.maxEntries(MOST_LABELS)),
      'Labels that must be there with exactly these values.',
    ),
    matchExpressions: optional(
      v.pipe(v.array(selectorRequirement), v.maxLength(MOST_PARTS)),
      'Further requirements; all must be met.',
    ),
  }),
  v.metadata({ 'x-kubernetes-map-type': 'atomic' }),
);

/** A taint (core/v1 Taint). */
export const taint = v.object({
  key: required(v.string(), 'Key of the taint.'),
  value: optional(v.string(), 'Value of the taint.'),
  effect: required(
    v.picklist(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
    'What happens to pods without a toleration.',
  ),
  timeAdded: optional(time, 'When the taint was added; written for NoExecute.'),
});

/** Taints that a Node is to have: no more than it may have labels from a template (hack/decisions/0028 T80). */
export const taints = v.pipe(v.array(taint), v.maxLength(MOST_KEYS));

/** A taint. */
export type Taint = v.InferOutput<typeof taint>;

/** Names a MachineClass (hack/spec/mcm.md 1.2). */
export const classRef = v.object({
  apiGroup: optional(v.string(), 'Group of the class; never read.'),
  kind: optional(v.string(), 'Always MachineClass.'),
  name: optional(v.string(), 'Name of a MachineClass in the same namespace.'),
});

/** Names a Secret (core/v1 SecretReference). */
export const secretRef = v.pipe(
  v.object({
    name: optional(v.string(), 'Name of the Secret.'),
    namespace: optional(v.string(), 'Namespace of the Secret; absent means that of the class.'),
  }),
  v.metadata({ 'x-kubernetes-map-type': 'atomic' }),
);

/** Versions of Kubernetes on a machine (Cluster API v1alpha1). */
export const versions = v.object({
  kubelet: optional(v.string(), 'Version of the kubelet.'),
  controlPlane: optional(v.string(), 'Version of the control plane; set on control-plane machines only.'),
});
