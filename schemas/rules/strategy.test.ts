import { expect, test } from 'bun:test';
import { strategyFault, unmovingBlock } from './strategy.ts';

const rolling = (maxSurge?: number | string, maxUnavailable?: number | string) => ({
  type: 'RollingUpdate',
  rollingUpdate: {
    ...(maxSurge !== undefined && { maxSurge }),
    ...(maxUnavailable !== undefined && { maxUnavailable }),
  },
});

test.each<[string, Parameters<typeof strategyFault>[0], string | undefined]>([
  ['none', undefined, undefined],
  ['a type without its block', { type: 'RollingUpdate' }, undefined],
  ['Recreate', { type: 'Recreate' }, undefined],
  ['numbers', rolling(1, 0), undefined],
  ['shares', rolling('25%', '0%'), undefined],
  ['0 and 0, as MCM takes it', rolling(0, 0), undefined],
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
])('%s (hack/spec/mcm.md 11.3, hack/decisions/0000 3)', (_what, strategy, fault) => {
  expect(strategyFault(strategy)).toBe(fault as string);
});

// hack/decisions/0051 U12
test.each<[string, Parameters<typeof unmovingBlock>[0], string | undefined]>([
  ['none', undefined, undefined],
  ['a type without its block', { type: 'RollingUpdate' }, undefined],
  ['one machine more', rolling(1, 0), undefined],
  ['one machine less', rolling(0, 1), undefined],
  ['0 and the default', rolling(0), 'rollingUpdate'],
  ['0 and 0%', rolling(0, '0%'), 'rollingUpdate'],
  [
    '0 and 0 in place',
    { type: 'InPlaceUpdate', inPlaceUpdate: { maxSurge: '00%', maxUnavailable: 0 } },
    'inPlaceUpdate',
  ],
  [
    'a block that counts for nothing',
    { type: 'Recreate', rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
    undefined,
  ],
  ['an unknown type', { type: 'constructor' }, undefined],
])('%s leaves a rollout no machine to stray by: %#', (_what, strategy, block) => {
  expect(unmovingBlock(strategy)).toBe(block as string);
});
