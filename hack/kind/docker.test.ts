import { expect, test } from 'bun:test';
import { refusalToStart } from './docker.ts';

const ONLY_ROOT = 'Start it, and see that this user may use it; only root on Linux gets one started from here.';

test.each([
  ['linux', 0, {}, undefined],
  ['linux', 1000, {}, ONLY_ROOT],
  ['darwin', 0, {}, ONLY_ROOT],
  ['linux', 0, { DOCKER_HOST: 'tcp://a:1' }, 'DOCKER_HOST names the daemon tcp://a:1: see that it runs, or unset it.'],
] as const)('on %s user %d with %j is refused a daemon: %p', (platform, user, env, refusal) => {
  expect(refusalToStart({ platform, user, env })).toBe(refusal as string | undefined);
});
