import { deadlines } from '../driver.ts';
import { type Api, ApiError } from '../runtime/api.ts';
import type { Clock } from '../runtime/clock.ts';
import { Deadline, unlessAborted } from '../runtime/deadline.ts';
import { persistentVolumeClaims, persistentVolumes } from '../runtime/workload.ts';
import type { ClaimedVolume } from './claimed.ts';
import type { DrainRequest } from './memory.ts';

const TIMEOUT_MS = 15_000;

/**
 * The volume of a claim (namespace/name), and whether it is the driver's own, where that can tell; undefined for one that is
 * not bound, or may not be read: such a volume is not followed. One of which the driver cannot tell is followed by its name.
 * @throws ApiError when the API server does not answer, or is not well
 */
export async function volumeOf(
  { target, getVolumeIDs }: DrainRequest,
  claim: string,
  { signal, clock }: { signal: AbortSignal; clock: Clock },
): Promise<ClaimedVolume | undefined> {
  const { api } = target;
  const name = await volumeName(api, claim, signal);
  if (name === undefined || !getVolumeIDs) return name === undefined ? undefined : { name, followed: true };
  const volume = await unlessRefused(api.get(persistentVolumes, { name }, { signal, timeoutMs: TIMEOUT_MS }));
  if (!volume?.spec) return { name, followed: false };
  const ids = await idsOf(getVolumeIDs, volume.spec, { signal, clock });
  if (ids === undefined) return { name, followed: true };
  return ids[0] ? { name, id: ids[0], followed: true } : { name, followed: false };
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

async function volumeName(api: Api, claim: string, signal: AbortSignal): Promise<string | undefined> {
  const [namespace = '', name = ''] = claim.split('/');
  const found = await unlessRefused(
    api.get(persistentVolumeClaims, { namespace, name }, { signal, timeoutMs: TIMEOUT_MS }),
  );
  return found?.spec?.volumeName || undefined;
}

/** An answer that will be the same the next time is no reason to hold up a drain. */
async function unlessRefused<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ApiError && error.status >= 400 && error.status < 500) return undefined;
    throw error;
  }
}
