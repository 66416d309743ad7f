/** A number of machines, or a share of them such as `25%`. */
type CountOrPercent = number | string | null | undefined;

/** The block of a strategy that bounds a rollout. */
interface Bounds {
  maxSurge?: CountOrPercent;
  maxUnavailable?: CountOrPercent;
}

/** The strategy of a MachineDeployment, as far as it can be wrong. */
interface Strategy {
  type?: string | undefined;
  rollingUpdate?: Bounds | null | undefined;
  inPlaceUpdate?: Bounds | null | undefined;
}

const BLOCKS: Readonly<Record<string, 'rollingUpdate' | 'inPlaceUpdate' | undefined>> = {
  RollingUpdate: 'rollingUpdate',
  InPlaceUpdate: 'inPlaceUpdate',
  Recreate: undefined,
};

/** Why no rollout can follow a strategy, as a sentence that begins with the path; undefined when one can (hack/spec/mcm.md 11.3). */
export function strategyFault({ type = 'RollingUpdate', ...blocks }: Strategy = {}): string | undefined {
  if (!Object.hasOwn(BLOCKS, type)) return `spec.strategy.type "${type}" is none of ${Object.keys(BLOCKS).join(', ')}`;
  const block = BLOCKS[type];
  const { maxSurge = 1, maxUnavailable = 0 } = (block && blocks[block]) || {};
  const at = `spec.strategy.${block}`;
  if (!isCountOrPercent(maxSurge)) return `${at}.maxSurge must be a count such as 1 or a share such as 25%`;
  return isCountOrPercent(maxUnavailable)
    ? undefined
    : `${at}.maxUnavailable must be a count such as 1 or a share such as 25%`;
}

/** Where a strategy lets a rollout stray by no machine at all, which counts as one that may be missing; undefined elsewhere. */
export function unmovingBlock({ type = 'RollingUpdate', ...blocks }: Strategy = {}): string | undefined {
  const block = Object.hasOwn(BLOCKS, type) ? BLOCKS[type] : undefined;
  const { maxSurge = 1, maxUnavailable = 0 } = (block && blocks[block]) || {};
  return block && isNothing(maxSurge) && isNothing(maxUnavailable) ? block : undefined;
}

const isCountOrPercent = (value: CountOrPercent): boolean =>
  typeof value === 'number' ? Number.isInteger(value) && value >= 0 : /^[0-9]+%$/.test(value ?? '');

const isNothing = (value: CountOrPercent): boolean => Number.parseInt(String(value), 10) === 0;
