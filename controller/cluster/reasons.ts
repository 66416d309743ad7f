import { type ReasonTable, type StepTable, sharedReasons } from '../reasons.ts';

const { AddFinalizer, RemoveFinalizer, NotOurs } = sharedReasons;

/** Steps of a Cluster's life, in the order of the flows. */
export const steps = {
  Guarded: 'The finalizer is on.',
  Connected: 'There is a connection, made from the kubeconfig as it stands in the Secret.',
  Unprotected: '`spec.deletionProtection` is not set on the Cluster that is being deleted.',
  Unused: 'No machine names the Cluster that is being deleted.',
  Released: 'The finalizer is off.',
} as const satisfies StepTable;

/** Every reason of a Cluster’s decisions; those of its conditions Reachable, Frozen, Paused and NodesGuarded stand in `status.ts`. */
export const reasons = {
  AddFinalizer,
  NotOurs,
  Connect: { says: 'A connection is made, or exchanged, for the kubeconfig has changed.' },
  KubeconfigMissing: {
    says: 'The Secret of the kubeconfig, or its key, does not exist; made, it is used at once.',
    event: 'Warning',
  },
  KubeconfigInvalid: { says: 'The kubeconfig cannot be used: the message names the field.', event: 'Warning' },
  TooManyClusters: {
    says: 'The controller follows as many target clusters as it may open requests for (`BUN_CONFIG_MAX_HTTP_REQUESTS`), or as many of this namespace as half of what others leave.',
    event: 'Warning',
  },
  DeletionProtected: {
    says: 'The Cluster is being deleted although `spec.deletionProtection` is set: it is held until that is taken off.',
    event: 'Warning',
  },
  ClusterInUse: {
    says: 'The Cluster is being deleted, and waits for the machines that name it to go.',
    event: 'Normal',
  },
  RemoveFinalizer,
} as const satisfies ReasonTable;

/** Why a Cluster’s decision is what it is. */
export type Reason = keyof typeof reasons;
