/** What distinguishes one kind from another for an API server, as far as the promises go (test/conformance/apiserver.ts). */
export interface Traits {
  /** Kind of objects whose bodies do not say; bodies of custom resources must. */
  kind?: string;
  /** It has the subresource `status`. */
  status: boolean;
  /** A status that is given at creation counts. */
  bornWithStatus: boolean;
  /** A write of the status may change labels and annotations, too. */
  statusWithMetadata: boolean;
  /** `metadata.generation` counts changes of what is wished for. */
  generation: boolean;
  /** Strategic merge patches are understood: the kind is built in. */
  builtIn: boolean;
  /** A replacement need not name the version that it replaces. */
  blindReplace: boolean;
}

/** A custom resource with the subresource `status`, as all of ours are. */
const custom: Traits = {
  status: true,
  bornWithStatus: false,
  statusWithMetadata: false,
  generation: true,
  builtIn: false,
  blindReplace: false,
};

const plain = (kind: string): Traits => ({
  kind,
  status: false,
  bornWithStatus: false,
  statusWithMetadata: false,
  generation: false,
  builtIn: true,
  blindReplace: true,
});

const withStatus = (kind: string): Traits => ({ ...plain(kind), status: true, statusWithMetadata: true });

const builtIn: Readonly<Record<string, Traits>> = {
  '/configmaps': plain('ConfigMap'),
  '/secrets': plain('Secret'),
  '/namespaces': withStatus('Namespace'),
  '/nodes': { ...withStatus('Node'), bornWithStatus: true },
  '/pods': { ...withStatus('Pod'), generation: true },
  '/persistentvolumes': withStatus('PersistentVolume'),
  '/persistentvolumeclaims': withStatus('PersistentVolumeClaim'),
  '/events': plain('Event'),
  'events.k8s.io/events': plain('Event'),
  'coordination.k8s.io/leases': { ...plain('Lease'), blindReplace: false },
  'policy/poddisruptionbudgets': { ...withStatus('PodDisruptionBudget'), generation: true },
  'storage.k8s.io/volumeattachments': { ...withStatus('VolumeAttachment'), bornWithStatus: true },
};

/** The traits of a resource, `group/plural`; whatever is not built in is a custom resource. */
export const traitsOf = (resource: string): Traits => builtIn[resource] ?? custom;
