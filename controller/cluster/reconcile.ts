import { FINALIZER } from '../../schemas/keys.ts';
import { act, type Decision, decide, type Outcome, pass, type Steps, wait } from '../flow.ts';
import type { Reason } from './reasons.ts';
import type { ClusterAction, ClusterView } from './view.ts';

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
export const living: Steps<ClusterView, ClusterAction, Reason> = {
  Guarded: (view) => (hasFinalizer(view) ? pass : act('AddFinalizer', { do: 'addFinalizer' })),
  Connected: connected,
};

/** What a deleted Cluster goes through: its machines may still need it. */
export const leaving: Steps<ClusterView, ClusterAction, Reason> = {
  Guarded: (view) => (hasFinalizer(view) ? pass : wait('NotOurs', Infinity)),
  Connected: (view) => (connected(view).kind === 'act' ? connected(view) : pass),
  Unprotected: ({ cluster }) =>
    cluster.spec?.deletionProtection
      ? wait('DeletionProtected', Infinity, 'spec.deletionProtection is set: set it to false to let the Cluster go')
      : pass,
  Unused: ({ users }) => (users.length > 0 ? wait('ClusterInUse', Infinity, inUse(users)) : pass),
  Released: () => act('RemoveFinalizer', { do: 'removeFinalizer' }),
};

/** What to do for the Cluster now. */
export const plan = (view: ClusterView): Decision<ClusterAction> =>
  decide(view.cluster.metadata.deletionTimestamp ? leaving : living, view);

/** How long a Cluster waits before it is looked at again whether there is room, milliseconds. */
const ROOM_MS = 60_000;

function connected({ kubeconfig, way, room }: ClusterView): Answer {
  if (kubeconfig.at === 'missing') return wait('KubeconfigMissing', Infinity, kubeconfig.why);
  if (kubeconfig.at === 'invalid') return wait('KubeconfigInvalid', Infinity, kubeconfig.why);
  if (!way && room !== 'free') return wait('TooManyClusters', ROOM_MS, NO_ROOM[room]);
  return way?.mark === kubeconfig.mark ? pass : act('Connect', { do: 'connect' });
}

const hasFinalizer = ({ cluster }: ClusterView): boolean => cluster.metadata.finalizers?.includes(FINALIZER) ?? false;

/** Who holds a Cluster, in words. */
export function inUse(users: readonly string[]): string {
  const more = users.length - MOST_NAMED;
  const named = users.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return `the Cluster goes when its last machine is gone: ${users.length} ${users.length === 1 ? 'machine' : 'machines'} (${named})`;
}
