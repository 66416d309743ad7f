import { deadlines } from '../drivers/sdk/driver.ts';
import { type Api, ApiError } from '../runtime/client/api.ts';
import { isNotFound } from '../runtime/client/errors.ts';
import type { Clock } from '../runtime/clock.ts';
import { Deadline, unlessAborted } from '../runtime/deadline.ts';
import { persistentVolumeClaims, persistentVolumes } from '../runtime/k8s/workload.ts';
import type { ClaimedVolume, NoVolume } from './claims.ts';
import type { DrainRequest } from './memory.ts';

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
  const reason = () => new DOMException('the driver does not answer', 'TimeoutError');
  const deadline = new Deadline({ clock, ms: deadlines.getVolumeIDs, parent, reason });
  try {
    return await unlessAborted(getVolumeIDs({ volumes: [volume], signal: deadline.signal }), deadline.signal);
  } catch {
    return undefined;
  } finally {
    deadline.end();
  }
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
