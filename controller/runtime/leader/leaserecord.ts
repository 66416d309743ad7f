import { microTimestamp } from '../clock.ts';
import type { Lease } from '../k8s/core.ts';
import type { Ref } from '../k8s/object.ts';

/** Who claims a lease, and what the claim says. */
export interface Claim {
  identity: string;
  durationMs: number;
  /** The current moment, for people to read; nobody counts with it. */
  now: number;
}

/** The holder; undefined when the lease is free. */
export const holderOf = ({ spec }: Lease): string | undefined => spec?.holderIdentity || undefined;

/** For how long, in milliseconds, a lease is its holder's after a change of it was seen. */
export const termOf = ({ spec }: Lease, otherwise: number): number =>
  spec?.leaseDurationSeconds === undefined ? otherwise : spec.leaseDurationSeconds * 1000;

/** A lease that nobody has made yet. */
export const unclaimed = ({ namespace, name }: Ref): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace, name },
});

/** The lease as its new or old holder writes it: a new holder counts as a transition, except for the very first. */
export function claimed(lease: Lease, { identity, durationMs, now }: Claim): Lease {
  const { acquireTime, leaseTransitions = 0 } = lease.spec ?? {};
  const renews = holderOf(lease) === identity;
  const changes = lease.spec !== undefined && !renews;
  return {
    ...lease,
    spec: {
      ...lease.spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(durationMs / 1000),
      acquireTime: renews && acquireTime ? acquireTime : microTimestamp(now),
      renewTime: microTimestamp(now),
      leaseTransitions: leaseTransitions + (changes ? 1 : 0),
    },
  };
}

/** The lease as a holder leaves it behind: free, and short even for those who do not look at the holder. */
export function released(lease: Lease, now: number): Lease {
  const time = microTimestamp(now);
  return {
    ...lease,
    spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time },
  };
}
