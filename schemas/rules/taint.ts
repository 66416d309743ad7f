/** Taken off by the controller when a machine first runs (the default of `--startup-taint`). */
export const STARTUP_TAINT = 'drover.dev/uninitialized';

/** Taints that machine controllers of ours or of MCM write (MCM 2.4). */
const OURS = ['deployment.machine.sapcloud.io/prefer-no-schedule', 'node.machine.sapcloud.io/preserved', STARTUP_TAINT];

/**
 * Whether a taint belongs to those who write it as things happen, so that no machine may ask for it: all of
 * `node.kubernetes.io/` but `out-of-service`, which people write, all of `node.cloudprovider.kubernetes.io/`, and what
 * machine controllers write (CKV A3.1).
 */
export const isReservedTaint = (key: string): boolean =>
  (key.startsWith('node.kubernetes.io/') && key !== 'node.kubernetes.io/out-of-service') ||
  key.startsWith('node.cloudprovider.kubernetes.io/') ||
  OURS.includes(key);

/**
 * Places of a list at which a taint has the key and the effect of one before it: a Node carries one of each. A Set,
 * because an object of 3 MB has room for 60,000 taints.
 */
export function repeatedTaints(list: ReadonlyArray<{ key: string; effect: string }>): number[] {
  const seen = new Set<string>();
  const again: number[] = [];
  list.forEach(({ key, effect }, index) => {
    const known = seen.size;
    if (seen.add(`${key}:${effect}`).size === known) again.push(index);
  });
  return again;
}
