import { type Api, ApiError } from '../runtime/api.ts';
import { persistentVolumeClaims, persistentVolumes } from '../runtime/workload.ts';
import type { DrainRequest, Volume } from './memory.ts';
import type { PodFact } from './view.ts';

const TIMEOUT_MS = 15_000;

/**
 * The volumes of a pod whose way is followed: those that are attached to the Node, and are the driver's own where it can
 * tell. What cannot be read is not followed.
 * @throws ApiError when the API server does not answer, or is not well
 */
export async function volumesOf(
  request: DrainRequest,
  { namespace, claims }: PodFact,
  signal: AbortSignal,
): Promise<Volume[]> {
  const { api, attachments } = request.target;
  const found = await Promise.all(claims.map((claim) => volumeName(api, { namespace, name: claim }, signal)));
  const attached = found.filter(
    (name): name is string =>
      name !== undefined && attachments.by('volume', name).some(({ spec }) => spec?.nodeName === request.nodeName),
  );
  const volumes = await Promise.all(attached.map((name) => volumeOf(request, name, signal)));
  return volumes.filter((volume) => volume !== undefined);
}

async function volumeName(
  api: Api,
  ref: { namespace: string; name: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const claim = await unlessRefused(api.get(persistentVolumeClaims, ref, { signal, timeoutMs: TIMEOUT_MS }));
  return claim?.spec?.volumeName || undefined;
}

/** A volume that the driver does not know is another's, and nobody waits for it. */
async function volumeOf(
  { target, getVolumeIDs }: DrainRequest,
  name: string,
  signal: AbortSignal,
): Promise<Volume | undefined> {
  if (!getVolumeIDs) return { name };
  const volume = await unlessRefused(target.api.get(persistentVolumes, { name }, { signal, timeoutMs: TIMEOUT_MS }));
  if (!volume?.spec) return undefined;
  const ids = await getVolumeIDs({ volumes: [volume.spec], signal }).catch(() => []);
  return ids[0] ? { name, id: ids[0] } : undefined;
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
