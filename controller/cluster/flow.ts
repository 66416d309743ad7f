import type { Cluster } from '../../schemas/cluster.ts';
import { FINALIZER } from '../../schemas/keys.ts';
import {
  act,
  type Decision,
  decide,
  type Outcome,
  pass,
  type ReasonTable,
  type Steps,
  type StepTable,
  sharedReasons,
  wait,
} from '../flow/flow.ts';
import type { GuardFact, Outgrown, Room } from '../model/target.ts';
import { hasFinalizer } from '../runtime/k8s/object.ts';
import type { Gate } from '../safety/outage/gate.ts';

type Answer = Outcome<ClusterAction, Reason>;

/** What a Cluster waits for that comes when there are as many as the process can follow. */
export const NO_ROOM = {
  full: 'the controller follows as many clusters as it may open requests for: it logs what to set',
  shared:
    'the controller follows as many clusters of this namespace as it may, half of what other namespaces leave: delete some, or give it room for more by BUN_CONFIG_MAX_HTTP_REQUESTS',
} as const;

/** How many machines are named to whoever waits for them. */
const MOST_NAMED = 3;

/** What a Cluster goes through. */
export const liveSteps: Steps<ClusterView, ClusterAction, Reason> = {
  FinalizerAdded: ({ cluster }) =>
    hasFinalizer(cluster, FINALIZER) ? pass : act('AddFinalizer', { do: 'addFinalizer' }),
  Connected: connected,
};

/** What a deleted Cluster goes through: its machines may still need it. */
export const deletionSteps: Steps<ClusterView, ClusterAction, Reason> = {
  FinalizerAdded: ({ cluster }) => (hasFinalizer(cluster, FINALIZER) ? pass : wait('FinalizerMissing', Infinity)),
  Connected: (view) => (connected(view).kind === 'act' ? connected(view) : pass),
  DeletionAllowed: ({ cluster }) =>
    cluster.spec?.deletionProtection
      ? wait('DeletionProtected', Infinity, 'spec.deletionProtection is set: set it to false to let the Cluster go')
      : pass,
  NotInUse: ({ users }) => (users.length > 0 ? wait('ClusterInUse', Infinity, inUse(users)) : pass),
  FinalizerRemoved: () => act('RemoveFinalizer', { do: 'removeFinalizer' }),
};

/** What to do for the Cluster now. */
export const plan = (view: ClusterView): Decision<ClusterAction> =>
  decide(view.cluster.metadata.deletionTimestamp ? deletionSteps : liveSteps, view);

/** How long a Cluster waits before it is looked at again whether there is room, milliseconds. */
const ROOM_MS = 60_000;

function connected({ kubeconfig, connection, room }: ClusterView): Answer {
  if (kubeconfig.at === 'missing') return wait('KubeconfigNotFound', Infinity, kubeconfig.why);
  if (kubeconfig.at === 'invalid') return wait('KubeconfigInvalid', Infinity, kubeconfig.why);
  if (!connection && room !== 'free') return wait('TooManyClusters', ROOM_MS, NO_ROOM[room]);
  return connection?.mark === kubeconfig.mark ? pass : act('Connect', { do: 'connect' });
}

/** Who holds a Cluster, in words. */
export function inUse(users: readonly string[]): string {
  const more = users.length - MOST_NAMED;
  const named = users.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return `the Cluster goes when its last machine is gone: ${users.length} ${users.length === 1 ? 'machine' : 'machines'} (${named})`;
}

/** How the kubeconfig of a Cluster stands; `mark` differs as soon as its text does. */
export type KubeconfigFact =
  | { at: 'missing'; why: string }
  | { at: 'invalid'; why: string }
  | { at: 'usable'; mark: string };

/** How a connection that was made stands. */
export interface ConnectionFact {
  /** Mark of the kubeconfig that it was made from. */
  mark: string;
  /** Its first lists are in, and how its server stands is known. */
  known: boolean;
  /** Which cluster it leads to (samecluster.ts); undefined while that is not known. */
  uid?: string | undefined;
  /** What of it cannot be followed any more. */
  outgrown?: Outgrown | undefined;
  /** What the last list of its Nodes failed with, as long as none has come. */
  unlisted?: ConnectionFact['failure'];
  /** It has not answered for longer than a blip. */
  unreachable: boolean;
  /** Why the last probe failed, by status, reason and error code only: the server's own message may tell the user what they must not know. */
  failure?: { status: number; reason: string; code?: string | undefined } | undefined;
  /** Absent before it was found out. */
  guard?: GuardFact | undefined;
}

/** Everything that one decision about a Cluster needs. */
export interface ClusterView {
  cluster: Cluster;
  kubeconfig: KubeconfigFact;
  /** The connection in use; absent while there is none. */
  connection?: ConnectionFact | undefined;
  /** Whether the process may open as many connections as one more target takes. */
  room: Room;
  /** Names of the Machines that name it, those on their way out included. */
  users: readonly string[];
  gate: Gate;
}

/** What can be done for a Cluster. */
export type ClusterAction = { do: 'addFinalizer' } | { do: 'connect' } | { do: 'removeFinalizer' };

const { AddFinalizer, RemoveFinalizer, FinalizerMissing } = sharedReasons;

/** Steps of a Cluster's life, in the order of the flows. */
export const steps = {
  FinalizerAdded: 'The finalizer is on.',
  Connected: 'There is a connection, made from the kubeconfig as it stands in the Secret.',
  DeletionAllowed: '`spec.deletionProtection` is not set on the Cluster that is being deleted.',
  NotInUse: 'No machine names the Cluster that is being deleted.',
  FinalizerRemoved: 'The finalizer is off.',
} as const satisfies StepTable;

/** Every reason of a Cluster’s decisions; those of its conditions Reachable, Frozen, Paused and NodePolicyInstalled stand in `status.ts`. */
export const reasons = {
  AddFinalizer,
  FinalizerMissing,
  Connect: { help: 'A connection is made, or exchanged, for the kubeconfig has changed.' },
  KubeconfigNotFound: {
    help: 'The Secret of the kubeconfig, or its key, does not exist; made, it is used at once.',
    event: 'Warning',
  },
  KubeconfigInvalid: { help: 'The kubeconfig cannot be used: the message names the field.', event: 'Warning' },
  TooManyClusters: {
    help: 'The controller follows as many target clusters as it may open requests for (`BUN_CONFIG_MAX_HTTP_REQUESTS`), or as many of this namespace as half of what others leave.',
    event: 'Warning',
  },
  DeletionProtected: {
    help: 'The Cluster is being deleted although `spec.deletionProtection` is set: it is held until that is taken off.',
    event: 'Warning',
  },
  ClusterInUse: {
    help: 'The Cluster is being deleted, and waits for the machines that name it to go.',
    event: 'Normal',
  },
  RemoveFinalizer,
} as const satisfies ReasonTable;

/** Why a Cluster’s decision is what it is. */
export type Reason = keyof typeof reasons;
