import { type Api, ApiError } from '../runtime/api.ts';
import { persistentVolumeClaims, persistentVolumes } from '../runtime/workload.ts';
import type { ClaimedVolume } from './claimed.ts';
import type { DrainRequest } from './memory.ts';

const TIMEOUT_MS = 15_000;

/**
 * The volume of a claim (namespace/name), and whether it is the driver's own, where that can tell; undefined for one that is
 * not bound, or may not be read: such a volume is not followed.
 * @throws ApiError when the API server does not answer, or is not well
 */
export async function volumeOf(
  { target, getVolumeIDs }: DrainRequest,
  claim: string,
  signal: AbortSignal,
): Promise<ClaimedVolume | undefined> {
  const { api } = target;
  const name = await volumeName(api, claim, signal);
  if (name === undefined || !getVolumeIDs) return name === undefined ? undefined : { name, followed: true };
  const volume = await unlessRefused(api.get(persistentVolumes, { name }, { signal, timeoutMs: TIMEOUT_MS }));
  if (!volume?.spec) return { name, followed: false };
  const ids = await getVolumeIDs({ volumes: [volume.spec], signal }).catch(() => []);
  return ids[0] ? { name, id: ids[0], followed: true } : { name, followed: false };
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
