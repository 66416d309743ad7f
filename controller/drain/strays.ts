import type { Pod, VolumeAttachment } from '../runtime/k8s/workload.ts';
import { volumeClaimsOf } from '../targets/pods.ts';
import type { DrainView } from './flow/view.ts';
import type { DrainMemory } from './memory.ts';

/**
 * How the volumes that are attached to the Node stand to the pods that are there, whatever was remembered of those that left:
 * that goes with the process. A claim that nobody may read may be that of any volume, so that as many are not judged; one that is bound to
 * none has none: whoever names claims that are not there hides no volume of others. Before a claim is answered for, what seems to be nobody's
 * keeps the VM from going, and what may be that of a pod that is spared is not taken off.
 * @param attachments those of the Node; undefined while they cannot be listed
 * @param there all pods of the Node, also those that stay
 * @param spared those of them that a rule or their label spares
 */
export function attachedFacts(
  memory: DrainMemory,
  {
    attachments,
    there,
    spared = [],
  }: { attachments: readonly VolumeAttachment[] | undefined; there: readonly Pod[]; spared?: readonly Pod[] },
): Pick<DrainView, 'attachments' | 'lookUp'> & { strays: readonly string[] } {
  const claims = new Set(there.flatMap(volumeClaimsOf));
  if (!attachments || attachments.length === 0)
    return { ...(attachments && { attachments: [] }), lookUp: [], strays: [] };
  const ofSpared = sparedVolumes(memory, spared);
  const { used, unknown, isOpen } = usedVolumes(memory, claims);
  const unused = attachments.filter((one) => !used.has(volumeOf(one)));
  const left = new Set(isOpen || unused.length > unknown ? unused : []);
  const passed = passedVolumes(memory);
  const strays = unused.map(volumeOf).filter((name) => name !== '' && !passed.has(name));
  return {
    attachments: attachments.map((one) => ({
      name: one.metadata.name,
      leaving: Boolean(one.metadata.deletionTimestamp),
      used: !left.has(one),
      ...ofSpared(volumeOf(one)),
    })),
    lookUp: memory.claims.due(claims),
    strays: strays.length > unknown ? strays : [],
  };
}

/** The volumes of the claims, of how many of these none is known, and whether one of them has yet to be answered for. */
function usedVolumes({ claims: known }: DrainMemory, claims: Iterable<string>) {
  const facts = [...claims].map((claim) => known.of(claim));
  const volumes = facts.map((fact) => (fact.at === 'known' ? fact.volume : 'unreadable'));
  return {
    used: new Set(volumes.flatMap((volume) => (typeof volume === 'object' ? [volume.name] : []))),
    unknown: volumes.filter((volume) => volume === 'unreadable').length,
    isOpen: facts.some(({ at }) => at !== 'known'),
  };
}

/** How a volume stands to the pods that are spared: that of a claim that is known is no other's. */
function sparedVolumes(memory: DrainMemory, spared: readonly Pod[]) {
  const { used, unknown } = usedVolumes(memory, spared.flatMap(volumeClaimsOf));
  const known = new Set([...memory.claims.volumes()].map(({ name }) => name));
  return (volume: string): { spared?: true; unsure?: true } => {
    if (used.has(volume)) return { spared: true };
    return unknown > 0 && !known.has(volume) ? { unsure: true } : {};
  };
}

/** Volumes for which no other pod waits: they have had their time, are not the driver's, or their way is followed. */
function passedVolumes({ claims, handover, late }: DrainMemory): Set<string> {
  const others = [...claims.volumes()].filter(({ followed }) => !followed);
  return new Set([...late, ...[...others, ...(handover?.volumes ?? [])].map(({ name }) => name)]);
}

/** Empty for one that stands in a pod, without a PersistentVolume. */
const volumeOf = ({ spec }: VolumeAttachment): string => spec?.source?.persistentVolumeName ?? '';
