import type { Cluster } from '../../schemas/cluster.ts';
import type { Note } from '../reasons.ts';
import type { ClusterView } from './view.ts';

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
  const said = { Reachable: reachable(view), Frozen: frozen(view), Paused: paused(view) };
  const conditions = Object.entries(said).flatMap(([type, condition]) => {
    const old = before.find((one) => one.type === type);
    return condition ? [dated({ type, ...condition, ...generationOf(cluster) }, old, now)] : old ? [old] : [];
  });
  return { ...cluster.status, ...generationOf(cluster), machines: users.length, conditions };
}

/** Events about conditions whose status has changed; what was never otherwise is no news. */
export function newsOf({ cluster }: ClusterView, status: NonNullable<Cluster['status']>): Note[] {
  const before = new Map((cluster.status?.conditions ?? []).map(({ type, status }) => [type, status]));
  return (status.conditions ?? []).flatMap(({ type, status: is, reason, message }): Note[] => {
    const was = before.get(type) ?? (type === 'Reachable' ? 'Unknown' : 'False');
    if (was === is || is === 'Unknown') return [];
    const isBad = (type === 'Reachable') === (is === 'False');
    return [{ type: isBad && type !== 'Paused' ? 'Warning' : 'Normal', reason, note: message || `${type} is ${is}` }];
  });
}

/** Undefined while nobody knows yet, and the last word stands. */
function reachable({ cluster, kubeconfig, way }: ClusterView): Said | undefined {
  if (!way) return kubeconfig.at === 'usable' ? connecting(cluster) : no(reasonOf(kubeconfig), kubeconfig.why);
  if (way.failure && (way.away || !way.known)) {
    return no(REFUSALS.has(way.failure.status) ? 'Unauthorized' : 'Unreachable', inWords(way.failure));
  }
  if (!way.known) return connecting(cluster);
  if (way.away) return no('Unreachable', 'its watches deliver nothing');
  if (kubeconfig.at === 'usable') return yes('Answering', '');
  return yes('KubeconfigOutdated', `${kubeconfig.why}; the connection that was made before is still used`);
}

/** By what a connection failed with, where a sentence says more than that. */
const FAILURES: Readonly<Record<string, string>> = {
  ERR_ADDRESS_REFUSED: 'its server, or its proxy, has an address that is refused: --cluster-server-allow may name it',
  ERR_ANSWER_TOO_LARGE: 'its server answers more than any API server does',
  ERR_NO_JSON: 'its server answers no JSON',
};

/** What a probe failed with. The server's own words are for the log, at debug. */
function inWords({ status, reason, code }: NonNullable<NonNullable<ClusterView['way']>['failure']>): string {
  if (status > 0) return `its server answers ${status} ${reason}`;
  return FAILURES[code ?? ''] ?? `no usable answer: ${code ? `${reason}, ${code}` : reason}`;
}

const reasonOf = ({ at }: { at: 'missing' | 'invalid' }): string =>
  at === 'missing' ? 'KubeconfigMissing' : 'KubeconfigInvalid';

const connecting = ({ status }: Cluster): Said | undefined =>
  status?.conditions?.some(({ type }) => type === 'Reachable')
    ? undefined
    : { status: 'Unknown', reason: 'Connecting', message: 'the first answers have not come yet' };

/** Before the first answer a gate is shut for everybody who has just started: that is no news. */
function frozen({ gate, way }: ClusterView): Said | undefined {
  const { shut } = gate;
  if (way && !way.known && !way.failure) return undefined;
  if (!shut) return no('NotFrozen', '');
  const since = new Date(shut.since).toISOString();
  const reason = shut.away === 'control' ? 'ControlAway' : 'TargetAway';
  return yes(reason, `the ${shut.away} API server is away since ${since}: nothing is taken away`);
}

const paused = ({ cluster }: ClusterView): Said =>
  cluster.spec?.paused
    ? yes('PausedBySpec', 'spec.paused is true: nothing is done for what names the Cluster')
    : no('NotPaused', '');

const yes = (reason: string, message: string): Said => ({ status: 'True', reason, message });
const no = (reason: string, message: string): Said => ({ status: 'False', reason, message });

const generationOf = ({ metadata: { generation } }: Cluster) =>
  generation === undefined ? {} : { observedGeneration: generation };

const dated = (said: Omit<Condition, 'lastTransitionTime'>, old: Condition | undefined, now: string): Condition => ({
  ...said,
  lastTransitionTime: old?.status === said.status ? old.lastTransitionTime : now,
});
