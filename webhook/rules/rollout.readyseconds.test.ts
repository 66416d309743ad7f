import { expect, test } from 'bun:test';
import { machineDeployment } from '../../test/fixtures/objects.ts';
import type { Facts } from '../admission/context.ts';
import { deploymentReadySeconds } from './rollout.ts';

type Spec = NonNullable<Parameters<typeof machineDeployment>[0]>['spec'];

const said = (spec: Spec): string | undefined => {
  const now = machineDeployment({ spec: { minReadySeconds: 60, minReadySecondsPolicy: 'Honor', ...spec } });
  return deploymentReadySeconds
    .validate(now, undefined, {} as Facts)[0]
    ?.message?.split(': ')[1]
    ?.split(',')[0];
};
const by = (maxSurge: number | string, maxUnavailable: number | string): Spec => ({
  replicas: 10,
  strategy: { rollingUpdate: { maxSurge, maxUnavailable } },
});

test.each([
  ['one by one', by(1, 0), 'waits 10 times 60 s'],
  ['three at a time', by(2, 1), 'waits 4 times 60 s'],
  ['by shares, the one rounded up, the other down', by('25%', '15%'), 'waits 3 times 60 s'],
  ['all at once', { replicas: 10, strategy: { type: 'Recreate' } } as Spec, 'waits 1 times 60 s'],
  [
    'in place',
    { replicas: 4, strategy: { type: 'InPlaceUpdate', inPlaceUpdate: { maxSurge: 0, maxUnavailable: 2 } } } as Spec,
    'waits 2 times 60 s',
  ],
  ['that does not count', { minReadySecondsPolicy: 'Ignore' } as Spec, undefined],
])('whoever lets minReadySeconds count is told what a rollout costs, %s', (_what, spec, message) => {
  expect(said(spec)?.replace('a rollout of 10 machines ', '').replace('a rollout of 4 machines ', '')).toBe(
    message as string,
  );
});
