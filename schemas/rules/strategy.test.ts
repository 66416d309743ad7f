import { expect, test } from 'bun:test';
import { strategyFault } from './strategy.ts';

const rolling = (maxSurge?: number | string, maxUnavailable?: number | string) => ({
  type: 'RollingUpdate',
  rollingUpdate: {
    ...(maxSurge !== undefined && { maxSurge }),
    ...(maxUnavailable !== undefined && { maxUnavailable }),
  },
});
const STUCK = 'maxSurge and maxUnavailable cannot both be 0: no machine could ever be replaced';

test.each<[string, Parameters<typeof strategyFault>[0], string | undefined]>([
  ['none', undefined, undefined],
  ['a type without its block', { type: 'RollingUpdate' }, undefined],
  ['Recreate', { type: 'Recreate' }, undefined],
  ['numbers', rolling(1, 0), undefined],
  ['shares', rolling('25%', '0%'), undefined],
  ['0 and the default', rolling(0), `spec.strategy.rollingUpdate: ${STUCK}`],
  ['0 and 0%', rolling(0, '0%'), `spec.strategy.rollingUpdate: ${STUCK}`],
  [
    'another block counts for nothing',
    { type: 'Recreate', rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
    undefined,
  ],
  [
    '0 and 0 in place',
    { type: 'InPlaceUpdate', inPlaceUpdate: { maxSurge: 0, maxUnavailable: 0 } },
    `spec.strategy.inPlaceUpdate: ${STUCK}`,
  ],
  [
    'less than nothing',
    rolling(-1),
    'spec.strategy.rollingUpdate.maxSurge must be a count such as 1 or a share such as 25%',
  ],
  [
    'a text',
    rolling(1, '25'),
    'spec.strategy.rollingUpdate.maxUnavailable must be a count such as 1 or a share such as 25%',
  ],
  ['an unknown type', { type: 'Blue' }, 'spec.strategy.type "Blue" is none of RollingUpdate, InPlaceUpdate, Recreate'],
])('%s (MCM 11.3, decisions 3)', (_what, strategy, fault) => {
  expect(strategyFault(strategy)).toBe(fault as string);
});
