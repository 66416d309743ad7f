import type { Cluster } from '../../schemas/cluster.ts';
import type { Note } from '../flow/flow.ts';
import type { Outgrown } from '../model/target.ts';
import { type ClusterView, NO_ROOM } from './flow.ts';

/** A condition of a Cluster. */
type Condition = NonNullable<NonNullable<Cluster['status']>['conditions']>[number];

/** What a condition says, without its clock. */
type Said = Pick<Condition, 'status' | 'reason' | 'message'>;

/** Answers that say who we are not, or what we may not. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403]);

/** The status that the Cluster should have. @param now RFC 3339 */
export function statusOf(view: ClusterView, now: string): NonNullable<Cluster['status']> {
  const { cluster, users } = view;
  const before = cluster.status?.conditions ?? [];
  const said = {
    Reachable: reachable(view),
    Frozen: frozen(view),
    Paused: paused(view),
    NodePolicyInstalled: guarded(view),
  };
  const conditions = Object.entries(said).flatMap(([type, condition]) => {
    const old = before.find((one) => one.type === type);
    return condition ? [dated({ type, ...condition, ...generationOf(cluster) }, old, now)] : old ? [old] : [];
  });
  return { ...cluster.status, ...generationOf(cluster), ...targetOf(view), machines: users.length, conditions };
}

/** The first cluster that it led to stands, until no machine names it any more. */
function targetOf({
  cluster: { status },
  connection,
  users,
}: ClusterView): Pick<NonNullable<Cluster['status']>, 'targetUID'> {
  const isOpen = status?.targetUID === undefined || users.length === 0;
  return isOpen && connection?.uid !== undefined ? { targetUID: connection.uid } : {};
}

/** Conditions that are as they should be when they are True. */
const GOOD: ReadonlySet<string> = new Set(['Reachable', 'NodePolicyInstalled']);

/** Events about conditions whose status has changed; what was never otherwise is no news. */
export function newsOf({ cluster }: ClusterView, status: NonNullable<Cluster['status']>): Note[] {
  const before = new Map((cluster.status?.conditions ?? []).map(({ type, status }) => [type, status]));
  return (status.conditions ?? []).flatMap(({ type, status: is, reason, message }): Note[] => {
    const was = before.get(type) ?? (GOOD.has(type) ? 'Unknown' : 'False');
    if (was === is || is === 'Unknown') return [];
    const isBad = GOOD.has(type) === (is === 'False');
    return [{ type: isBad && type !== 'Paused' ? 'Warning' : 'Normal', reason, note: message || `${type} is ${is}` }];
  });
}

/** Undefined while it is not known yet: then the condition stays as it was. */
function reachable({ cluster, kubeconfig, connection, room }: ClusterView): Said | undefined {
  if (!connection && kubeconfig.at !== 'usable') return no(reasonOf(kubeconfig), kubeconfig.why);
  if (!connection) return room === 'free' ? connecting(cluster) : no('TooManyClusters', NO_ROOM[room]);
  if (connection.failure && (connection.unreachable || !connection.known)) {
    return no(reasonFor(connection.failure), inWords(connection.failure));
  }
  if (connection.outgrown) return no('CacheLimitExceeded', tooLarge(connection.outgrown));
  if (!connection.known && connection.unlisted)
    return no('NodesUnknown', `its Nodes cannot be listed: ${inWords(connection.unlisted, LACKS_LIST)}`);
  if (!connection.known) return connecting(cluster);
  if (connection.unreachable) return no('Unreachable', 'its watches deliver nothing');
  if (kubeconfig.at === 'usable') return yes('Reachable', '');
  return yes('KubeconfigOutdated', `${kubeconfig.why}; the connection that was made before is still used`);
}

/** What a probe requests, and what to do where the kubeconfig has no right to. */
const LACKS_GET =
  'its account needs the verb get on nodes, and on the namespace kube-system, as the chart gives both by rbac.targetOnly';

const LACKS_LIST = 'its account needs the verbs list and watch on nodes, as the chart gives it by rbac.targetOnly';

/** What waits depends on what is not known: without its Nodes nothing is done there. */
const tooLarge = ({ what, why }: Outgrown): string =>
  `its ${what} cannot be followed, and what was seen of them is old (${why}): what needs them waits until they are fewer, or --cluster-cache-mib allows more of one cluster, or --all-clusters-cache-mib of all`;

/** By what a connection failed with, where a sentence says more than that. */
const FAILURES: Readonly<Record<string, string>> = {
  ERR_ADDRESS_REFUSED: 'its server, or its proxy, has an address that is refused: --cluster-server-allow may name it',
  ERR_TOO_MANY_ADDRESSES: 'the name of its server, or of its proxy, has more addresses than any API server has',
  ERR_ANSWER_TOO_LARGE: 'its server answers more than any API server does',
  ERR_OTHER_CLUSTER:
    'the kubeconfig leads to another cluster than status.targetUID names, and machines name this Cluster: nothing is done there until the kubeconfig is put back, or status.targetUID is taken out',
  ERR_CLUSTER_UNKNOWN: `nobody can tell whether the kubeconfig leads to the cluster of status.targetUID, and machines name this Cluster: ${LACKS_GET}`,
  ERR_NO_JSON: 'its server answers no JSON',
};

type Failure = NonNullable<NonNullable<ClusterView['connection']>['failure']>;

function reasonFor({ status, code }: Failure): string {
  if (code === 'ERR_OTHER_CLUSTER') return 'DifferentCluster';
  if (code === 'ERR_CLUSTER_UNKNOWN') return 'Unauthorized';
  return REFUSALS.has(status) ? 'Unauthorized' : 'Unreachable';
}

/** What a probe failed with. The server's own words are for the log, at debug. */
function inWords({ status, reason, code }: Failure, lacking = LACKS_GET): string {
  if (status === 403) return `its server answers ${status} ${reason}: ${lacking}`;
  if (status > 0) return `its server answers ${status} ${reason}`;
  return FAILURES[code ?? ''] ?? `no usable answer: ${code ? `${reason}, ${code}` : reason}`;
}

const reasonOf = ({ at }: { at: 'missing' | 'invalid' }): string =>
  at === 'missing' ? 'KubeconfigNotFound' : 'KubeconfigInvalid';

const connecting = ({ status }: Cluster): Said | undefined =>
  status?.conditions?.some(({ type }) => type === 'Reachable')
    ? undefined
    : { status: 'Unknown', reason: 'Connecting', message: 'the first answers have not come yet' };

/** Before the first answer a gate is shut for everybody who has just started: that is no news. */
function frozen({ gate, connection }: ClusterView): Said | undefined {
  const { shut } = gate;
  if (connection && !connection.known && !connection.failure) return undefined;
  if (!shut) return no('NotFrozen', '');
  const since = new Date(shut.since).toISOString();
  const reason = shut.unreachable === 'control' ? 'ControlClusterUnreachable' : 'TargetClusterUnreachable';
  return yes(reason, `the ${shut.unreachable} API server is unreachable since ${since}: nothing is taken away`);
}

const paused = ({ cluster }: ClusterView): Said =>
  cluster.spec?.paused
    ? yes('PausedBySpec', 'spec.paused is true: nothing is done for what names the Cluster')
    : no('NotPaused', '');

/** Nothing depends on it: it says what a mistake, or who takes the controller, could get at. */
function guarded({ connection }: ClusterView): Said | undefined {
  if (!connection?.guard) return undefined;
  if (connection.guard.at === 'there') return yes('PolicyFound', '');
  if (connection.guard.at === 'missing')
    return no(
      'PolicyNotFound',
      `nothing keeps the controller from Nodes that are not its own: ${connection.guard.why}`,
    );
  return { status: 'Unknown', reason: 'PolicyUnknown', message: connection.guard.why };
}

const yes = (reason: string, message: string): Said => ({ status: 'True', reason, message });
const no = (reason: string, message: string): Said => ({ status: 'False', reason, message });

const generationOf = ({ metadata: { generation } }: Cluster) =>
  generation === undefined ? {} : { observedGeneration: generation };

const dated = (said: Omit<Condition, 'lastTransitionTime'>, old: Condition | undefined, now: string): Condition => ({
  ...said,
  lastTransitionTime: old?.status === said.status ? old.lastTransitionTime : now,
});
