import { expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import { failure, settle, staying } from './settling.fixture.ts';
import { setStage } from './stage.fixture.ts';

// hack/decisions/0051 L71: a machine that may not be changed is told of in whatever words that is said, and holds up no other.
test.each([
  [403, 'Forbidden'],
  [409, 'Conflict'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
])('a machine whose every change is answered %p is told of, and asked ever more seldom', async (code, reason) => {
  const stage = await setStage();
  await settle(stage);
  const [one = '', other = ''] = await staying(stage);
  let tries = 0;
  const refuse = (request: string) => {
    if (!request.startsWith('PATCH') || !request.endsWith(`/${one}`)) return undefined;
    tries += 1;
    return 'no';
  };
  stage.refuse(refuse, { code, reason });
  const body = { spec: { template: { spec: { drainTimeout: '1h0m0s' } } } };
  await stage.api.patch(resources.machineSets, { namespace: 'herd', name: 'set' }, { type: 'merge', body });
  for (let second = 0; second < 600; second += 2) {
    await settle(stage);
    stage.clock.after(2_000, () => {});
    stage.clock.step(stage.clock.now() + 2_000);
  }
  const changed = await stage.api.get(resources.machines, { namespace: 'herd', name: other });
  expect(changed.spec?.drainTimeout).toBe('1h0m0s');
  expect(stage.told).toContain('FailedUpdate');
  expect(await failure(stage)).toStartWith('FailedUpdate');
  expect(tries).toBeWithin(8, 25);
});
