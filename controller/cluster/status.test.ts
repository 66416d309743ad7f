import { describe, expect, test } from 'bun:test';
import type { Cluster } from '../../schemas/cluster.ts';
import type { ClusterView } from './flow.ts';
import { newsOf, statusOf } from './status.ts';
import { cluster, connection, view } from './view.fixture.ts';

const NOW = '2026-01-01T00:00:00Z';
const invalid = { at: 'invalid', why: 'Secret "east", key "kubeconfig": it is not YAML' } as const;
const refused = { reason: 'Unauthorized', status: 401 };
const silent = { reason: 'DeadlineExceeded', status: 0 };

/** A condition in short: its status and reason. */
const said = (status: NonNullable<Cluster['status']>, type: string) => {
  const found = status.conditions?.find((one) => one.type === type);
  return found && `${found.status} ${found.reason}`;
};

test.each<[string, Partial<ClusterView>, string]>([
  ['answers', {}, 'True Reachable'],
  ['has no usable kubeconfig', { kubeconfig: invalid, connection: undefined }, 'False KubeconfigInvalid'],
  ['goes on with the kubeconfig of before', { kubeconfig: invalid }, 'True KubeconfigOutdated'],
  ['is away', { connection: { ...connection, unreachable: true, failure: silent } }, 'False Unreachable'],
  ['had a blip', { connection: { ...connection, failure: silent } }, 'True Reachable'],
  ['refuses us', { connection: { ...connection, unreachable: true, failure: refused } }, 'False Unauthorized'],
  [
    'never answered',
    { connection: { ...connection, known: false, unreachable: true, failure: silent } },
    'False Unreachable',
  ],
  ['delivers nothing', { connection: { ...connection, unreachable: true } }, 'False Unreachable'],
  ['is one too many', { connection: undefined, room: 'full' }, 'False TooManyClusters'],
  ['is one too many of its namespace', { connection: undefined, room: 'shared' }, 'False TooManyClusters'],
  [
    'has grown too large',
    { connection: { ...connection, outgrown: { what: 'Pods', why: 'more than 3 objects' } } },
    'False CacheLimitExceeded',
  ],
  [
    'is too large from the first',
    { connection: { ...connection, known: false, outgrown: { what: 'Nodes', why: 'more than 3 objects' } } },
    'False CacheLimitExceeded',
  ],
  [
    'does not list its Nodes',
    { connection: { ...connection, known: false, unreachable: true, unlisted: { reason: 'Forbidden', status: 403 } } },
    'False NodesUnknown',
  ],
  ['was just connected', { connection: { ...connection, known: false, unreachable: true } }, 'Unknown Connecting'],
])('Reachable of a Cluster that %s', (_what, facts, answer) => {
  expect(said(statusOf(view(facts), NOW), 'Reachable')).toBe(answer);
});

// hack/decisions/0028 W7
test.each([
  [refused, 'its server answers 401 Unauthorized'],
  [{ reason: 'Unknown', status: 302 }, 'its server answers 302 Unknown'],
  [{ reason: 'NetworkError', status: 0, code: 'ECONNREFUSED' }, 'no usable answer: NetworkError, ECONNREFUSED'],
  [
    { reason: 'NetworkError', status: 0, code: 'ERR_ADDRESS_REFUSED' },
    'its server, or its proxy, has an address that is refused: --cluster-server-allow may name it',
  ],
  [
    { reason: 'NetworkError', status: 0, code: 'ERR_TOO_MANY_ADDRESSES' },
    'the name of its server, or of its proxy, has more addresses than any API server has',
  ],
])('a failure is told by code and reason: %j', (failure, message) => {
  const { conditions } = statusOf(view({ connection: { ...connection, unreachable: true, failure } }), NOW);
  expect(conditions?.find(({ type }) => type === 'Reachable')).toMatchObject({ message });
});

// hack/decisions/0028 W13
describe('the cluster that a kubeconfig led to', () => {
  const other = { reason: 'NetworkError', status: 0, code: 'ERR_OTHER_CLUSTER' };
  const recorded = { ...cluster(), status: { targetUID: 'one' } };
  const uidOf = (facts: Partial<Parameters<typeof view>[0]>) => statusOf(view(facts), NOW).targetUID;

  test('is recorded, and stands while machines name the Cluster', () => {
    expect(uidOf({ connection: { ...connection, uid: 'one' }, users: ['m'] })).toBe('one');
    expect(uidOf({ cluster: recorded, connection: { ...connection, uid: 'two' }, users: ['m'] })).toBe('one');
    expect(uidOf({ cluster: recorded, connection: { ...connection, uid: 'two' } })).toBe('two');
    expect(uidOf({ cluster: recorded })).toBe('one');
  });

  test('is named by the condition when a kubeconfig leads elsewhere', () => {
    const status = statusOf(
      view({ cluster: recorded, connection: { ...connection, unreachable: true, failure: other } }),
      NOW,
    );
    expect(said(status, 'Reachable')).toBe('False DifferentCluster');
  });

  // hack/decisions/0028 M15
  test.each([
    { reason: 'NetworkError', status: 0, code: 'ERR_CLUSTER_UNKNOWN' },
    { reason: 'Forbidden', status: 403 },
  ])('names the right that is missing: %j', (failure) => {
    const status = statusOf(
      view({ cluster: recorded, connection: { ...connection, unreachable: true, failure }, users: ['m'] }),
      NOW,
    );
    expect(said(status, 'Reachable')).toBe('False Unauthorized');
    expect(status.conditions?.find(({ type }) => type === 'Reachable')?.message).toContain(
      'its account needs the verb get on nodes, and on the namespace kube-system',
    );
  });
});

test.each([
  [{ at: 'there' } as const, 'True PolicyFound'],
  [{ at: 'missing', why: 'there is none' } as const, 'False PolicyNotFound'],
  [{ at: 'unknown', why: 'we may not look' } as const, 'Unknown PolicyUnknown'],
  [undefined, undefined],
])('whether policies guard its Nodes: %j', (guard, answer) => {
  const status = statusOf(view({ connection: { ...connection, guard } }), NOW);
  expect(said(status, 'NodePolicyInstalled')).toBe(answer);
  const reasons = newsOf(view(), status).map(({ type, reason }) => `${type} ${reason}`);
  expect(reasons.includes('Warning PolicyNotFound')).toBe(guard?.at === 'missing');
});

describe('the status', () => {
  const shut = { shut: { unreachable: 'target', since: 0 }, judgesFrom: 0 } as const;

  test('tells of the gate, of a pause, of the machines, and of which generation that is', () => {
    const status = statusOf(view({ cluster: cluster({ paused: true }), users: ['a', 'b'], gate: shut }), NOW);
    expect(said(status, 'Frozen')).toBe('True TargetClusterUnreachable');
    expect(said(status, 'Paused')).toBe('True PausedBySpec');
    expect(status).toMatchObject({ machines: 2, observedGeneration: 1 });
  });

  test('keeps its last words while a restarted controller knows nothing yet', () => {
    const before = statusOf(view(), '2025-01-01T00:00:00Z');
    const known = { ...cluster(), status: before };
    const restarted = view({
      cluster: known,
      connection: { ...connection, known: false, unreachable: true },
      gate: shut,
    });
    expect(statusOf(restarted, NOW)).toEqual(before);
  });

  test('keeps the time of a condition that stands, and news are only what changed', () => {
    const before = statusOf(view(), '2025-01-01T00:00:00Z');
    const later = view({
      cluster: { ...cluster(), status: before },
      connection: { ...connection, unreachable: true, failure: silent },
    });
    const after = statusOf(later, NOW);
    expect(after.conditions?.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([
      NOW,
      '2025-01-01T00:00:00Z',
      '2025-01-01T00:00:00Z',
    ]);
    expect(newsOf(later, after)).toEqual([
      { type: 'Warning', reason: 'Unreachable', note: 'no usable answer: DeadlineExceeded' },
    ]);
    expect(newsOf(view(), statusOf(view(), NOW)).map(({ reason }) => reason)).toEqual(['Reachable']);
  });
});
