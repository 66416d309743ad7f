import { expect, test } from 'bun:test';
import { reasonOf } from '../flow/flow.ts';
import { type ClusterView, plan } from './flow.ts';
import { cluster, view, way } from './view.fixture.ts';

const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const missing = { at: 'missing', why: 'Secret "east" does not exist' } as const;
const invalid = { at: 'invalid', why: 'it is not YAML' } as const;

test.each<[string, Partial<ClusterView>, string]>([
  ['that is new is held', { cluster: cluster({}, { finalizers: [] }) }, 'Guarded AddFinalizer'],
  ['without a connection gets one', { way: undefined }, 'Connected Connect'],
  ['for which there is no room waits', { way: undefined, room: 'full' }, 'Connected TooManyClusters'],
  ['of a namespace that has its part waits', { way: undefined, room: 'shared' }, 'Connected TooManyClusters'],
  ['that is connected needs no room', { room: 'full' }, 'Settled Settled'],
  ['with another kubeconfig gets another connection', { way: { ...way, mark: '0' } }, 'Connected Connect'],
  ['without its Secret waits for it', { kubeconfig: missing }, 'Connected KubeconfigMissing'],
  ['with a bad kubeconfig waits for a better one', { kubeconfig: invalid }, 'Connected KubeconfigInvalid'],
  ['that is connected is settled', { users: ['m'] }, 'Settled Settled'],
  ['that is deleted goes when nothing names it', { cluster: cluster({}, leaving) }, 'Released RemoveFinalizer'],
  ['that is deleted waits for its machines', { cluster: cluster({}, leaving), users: ['m'] }, 'Unused ClusterInUse'],
  [
    'that is deleted is connected for its machines',
    { cluster: cluster({}, leaving), users: ['m'], way: undefined },
    'Connected Connect',
  ],
  [
    'that is deleted needs no kubeconfig',
    { cluster: cluster({}, leaving), kubeconfig: missing, way: undefined },
    'Released RemoveFinalizer',
  ],
  [
    'that is protected is held, whoever deleted it',
    { cluster: cluster({ deletionProtection: true }, leaving) },
    'Unprotected DeletionProtected',
  ],
  [
    'that is deleted without our finalizer is left to others',
    { cluster: cluster({}, { ...leaving, finalizers: [] }) },
    'Guarded NotOurs',
  ],
])('a Cluster %s', (_what, facts, answer) => {
  const decision = plan(view(facts));
  expect(`${decision.step} ${reasonOf(decision)}`).toBe(answer);
});
