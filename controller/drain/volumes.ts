import { deadlines } from '../drivers/sdk/driver.ts';
import { type Api, ApiError } from '../runtime/client/api.ts';
import { isNotFound } from '../runtime/client/errors.ts';
import { type Clock, inTime } from '../runtime/clock.ts';
import { type Pod, persistentVolumeClaims, persistentVolumes, type VolumeAttachment } from '../runtime/k8s/workload.ts';
import { volumeClaimsOf } from '../targets/pods.ts';
import type { ClaimedVolume, NoVolume } from './claims.ts';
import type { DrainView } from './flow/view.ts';
import type { DrainMemory, DrainRequest } from './memory.ts';

const TIMEOUT_MS = 15_000;
/** Longer is no name of a volume (apimachinery DNS1123SubdomainMaxLength), and no id that a Node's list contains. */
const MOST = { name: 253, id: 1_024 };

/**
 * The volume of a claim (namespace/name), and whether it is the driver's own, where that can tell. One of which the driver cannot tell is
 * followed by its name.
 * @throws ApiError when the API server does not answer, or is not well
 */
export async function volumeOf(
  { target, getVolumeIDs }: DrainRequest,
  claim: string,
  { signal, clock }: { signal: AbortSignal; clock: Clock },
): Promise<ClaimedVolume | NoVolume> {
  const { api } = target;
  const found = await boundTo(api, claim, signal);
  if (typeof found === 'string') return found;
  const { name } = found;
  if (!getVolumeIDs) return { name, followed: true };
  const volume = await unlessRefused(api.get(persistentVolumes, { name }, { signal, timeoutMs: TIMEOUT_MS }));
  if (!volume?.spec) return { name, followed: false };
  const ids = await idsOf(getVolumeIDs, volume.spec, { signal, clock });
  if (ids === undefined) return { name, followed: true };
  if (!ids[0]) return { name, followed: false };
  return { name, followed: true, ...(ids[0].length <= MOST.id && { id: ids[0] }) };
}

/** The driver's ids of a volume; undefined if it fails, or does not answer in its time. */
async function idsOf(
  getVolumeIDs: NonNullable<DrainRequest['getVolumeIDs']>,
  volume: Record<string, unknown>,
  { signal: parent, clock }: { signal: AbortSignal; clock: Clock },
): Promise<string[] | undefined> {
  const timed = { clock, ms: deadlines.getVolumeIDs, parent, late: 'the driver does not answer' };
  return inTime(timed, (one) => getVolumeIDs({ volumes: [volume], signal: one })).catch(() => undefined);
}

/** The name that a claim asks for is its writer's word, whosever the volume is: only what it is bound to counts. */
async function boundTo(api: Api, claim: string, signal: AbortSignal): Promise<{ name: string } | NoVolume> {
  const [namespace = '', name = ''] = claim.split('/');
  try {
    const found = await api.get(persistentVolumeClaims, { namespace, name }, { signal, timeoutMs: TIMEOUT_MS });
    const volume = found.status?.phase === 'Bound' ? found.spec?.volumeName : undefined;
    return volume && volume.length <= MOST.name ? { name: volume } : 'unbound';
  } catch (error) {
    if (isNotFound(error)) return 'unbound';
    if (isClientError(error)) return 'unreadable';
    throw error;
  }
}

/** An answer that will be the same the next time is no reason to hold up a drain. */
async function unlessRefused<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isClientError(error)) return undefined;
    throw error;
  }
}

const isClientError = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 400 && error.status < 500;

/**
 * Which pods of the Node use the volumes attached to it, independent of what was remembered of pods that left, which is lost with the
 * process. A claim that cannot be read may be that of any volume, so as many volumes are not judged; an unbound or missing claim has no
 * volume: so a pod that names missing claims hides no volume of others. Until a claim was looked up, a volume that no pod seems to use
 * holds up the deletion of the VM, and one that may be that of a skipped pod is not detached.
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
  const unused = attachments.filter((one) => !used.has(attachedVolumeOf(one)));
  const left = new Set(isOpen || unused.length > unknown ? unused : []);
  const passed = passedVolumes(memory);
  const strays = unused.map(attachedVolumeOf).filter((name) => name !== '' && !passed.has(name));
  return {
    attachments: attachments.map((one) => ({
      name: one.metadata.name,
      leaving: Boolean(one.metadata.deletionTimestamp),
      used: !left.has(one),
      ...ofSpared(attachedVolumeOf(one)),
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
const attachedVolumeOf = ({ spec }: VolumeAttachment): string => spec?.source?.persistentVolumeName ?? '';
