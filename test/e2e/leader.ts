import { podsOf, type Release, type SeenPod } from './release.ts';
import type { Scene, Seen } from './scene.ts';

interface Lease extends Seen {
  spec: { holderIdentity?: string };
}

/** The controller pod of a release that holds a Lease; throws while none does. */
export async function leaderOf(scene: Scene, release: Release): Promise<SeenPod> {
  const leases = await scene.list<Lease>('leases', '-n', release.namespace);
  const holders = leases.map(({ spec }) => spec.holderIdentity ?? '');
  const pods = await podsOf(scene, release, 'controller');
  const leading = pods.find(({ metadata }) => holders.some((holder) => holder.startsWith(`${metadata.name}_`)));
  if (leading) return leading;
  throw new Error(
    `no controller pod of ${release.name} leads; the Leases are held by ${holders.join(', ') || 'nobody'}`,
  );
}
