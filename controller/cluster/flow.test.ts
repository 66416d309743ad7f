import { expect, test } from 'bun:test';
import { reasonOf } from '../flow/flow.ts';
import { type ClusterView, plan } from './flow.ts';
import { cluster, connection, view } from './view.fixture.ts';

const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const missing = { at: 'missing', why: 'Secret "east" does not exist' } as const;
const invalid = { at: 'invalid', why: 'it is not YAML' } as const;

test.each<[string, Partial<ClusterView>, string]>([
  ['that is new is held', { cluster: cluster({}, { finalizers: [] }) }, 'FinalizerAdded AddFinalizer'],
  ['without a connection gets one', { connection: undefined }, 'Connected Connect'],
  ['for which there is no room waits', { connection: undefined, room: 'full' }, 'Connected TooManyClusters'],
  ['of a namespace that has its part waits', { connection: undefined, room: 'shared' }, 'Connected TooManyClusters'],
  ['that is connected needs no room', { room: 'full' }, 'Reconciled Reconciled'],
  [
    'with another kubeconfig gets another connection',
    { connection: { ...connection, mark: '0' } },
    'Connected Connect',
  ],
  ['without its Secret waits for it', { kubeconfig: missing }, 'Connected KubeconfigNotFound'],
  ['with a bad kubeconfig waits for a better one', { kubeconfig: invalid }, 'Connected KubeconfigInvalid'],
  ['that is connected is settled', { users: ['m'] }, 'Reconciled Reconciled'],
  ['that is deleted goes when nothing names it', { cluster: cluster({}, leaving) }, 'FinalizerRemoved RemoveFinalizer'],
  ['that is deleted waits for its machines', { cluster: cluster({}, leaving), users: ['m'] }, 'NotInUse ClusterInUse'],
  [
    'that is deleted is connected for its machines',
    { cluster: cluster({}, leaving), users: ['m'], connection: undefined },
    'Connected Connect',
  ],
  [
    'that is deleted needs no kubeconfig',
    { cluster: cluster({}, leaving), kubeconfig: missing, connection: undefined },
    'FinalizerRemoved RemoveFinalizer',
  ],
  [
    'that is protected is held, whoever deleted it',
    { cluster: cluster({ deletionProtection: true }, leaving) },
    'DeletionAllowed DeletionProtected',
  ],
  [
    'that is deleted without our finalizer is left to others',
    { cluster: cluster({}, { ...leaving, finalizers: [] }) },
    'FinalizerAdded FinalizerMissing',
  ],
])('a Cluster %s', (_what, facts, answer) => {
  const decision = plan(view(facts));
  expect(`${decision.step} ${reasonOf(decision)}`).toBe(answer);
});
