import * as v from 'valibot';
import { taint, templateMeta } from './common.ts';
import { optional, required } from './field.ts';

/** What a Machine says about its Node (MCM 1.2, core/v1 NodeSpec). */

const configMapSource = v.object({
  name: required(v.string(), 'Name of the ConfigMap.'),
  namespace: required(v.string(), 'Namespace of the ConfigMap.'),
  kubeletConfigKey: required(v.string(), 'Key of the kubelet configuration in the ConfigMap.'),
  uid: optional(v.string(), 'UID of the ConfigMap.'),
  resourceVersion: optional(v.string(), 'Version of the ConfigMap.'),
});

const nodeSpec = v.object({
  taints: optional(v.array(taint), 'Taints of the Node, kept in step: one that leaves this list leaves the Node.'),
  unschedulable: optional(v.boolean(), 'Part of a NodeSpec; not synchronised.'),
  podCIDR: optional(v.string(), 'Part of a NodeSpec; not synchronised.'),
  podCIDRs: optional(v.array(v.string()), 'Part of a NodeSpec; not synchronised.'),
  providerID: optional(v.string(), 'Part of a NodeSpec; not synchronised.'),
  externalID: optional(v.string(), 'Part of a NodeSpec; not synchronised.'),
  configSource: optional(
    v.object({ configMap: optional(configMapSource, 'ConfigMap with a kubelet configuration.') }),
    'Part of a NodeSpec; Kubernetes dropped it, not synchronised.',
  ),
});

/** Labels, annotations and taints that the Node of a Machine shall have. */
export const nodeTemplate = v.object({
  metadata: optional(templateMeta, 'Labels and annotations of the Node, kept in step with these.'),
  spec: optional(nodeSpec, 'Taints of the Node, kept in step with these.'),
});
