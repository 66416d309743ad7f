import { type Leadership, type LeaseOptions, lead } from './election.ts';

/**
 * Waits until this process holds all of these Leases. They are taken in their order, so that two processes never hold
 * some each and wait for one another; all are watched from the beginning, so that the terms of a dead leader pass at
 * the same time. They are lost together: one that is lost ends the leadership.
 * @throws what `lead` throws; nothing is held then
 */
export async function leadAll(names: readonly string[], options: Omit<LeaseOptions, 'name'>): Promise<Leadership> {
  const taking: Promise<Leadership>[] = [];
  for (const name of names) {
    const after = taking.at(-1);
    taking.push(lead({ ...options, name, ...(after && { after }) }));
  }
  const ends = await Promise.allSettled(taking);
  const held = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  const release = async () => void (await Promise.all(held.map((one) => one.release())));
  const failed = ends.find((end) => end.status === 'rejected');
  const heldBefore = Math.min(...held.map((one) => one.heldBefore ?? 0));
  const renewedMsAgo = () => Math.max(...held.map((one) => one.renewedMsAgo()));
  if (!failed) return { signal: AbortSignal.any(held.map((one) => one.signal)), release, heldBefore, renewedMsAgo };
  await release();
  throw failed.reason;
}
