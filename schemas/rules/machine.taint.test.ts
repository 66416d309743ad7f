import { expect, test } from 'bun:test';
import { isReservedTaint } from './machine.ts';

test.each([
  ['node.kubernetes.io/unreachable', true],
  ['node.kubernetes.io/out-of-service', false],
  ['node.cloudprovider.kubernetes.io/uninitialized', true],
  ['node.machine.sapcloud.io/preserved', true],
  ['drover.dev/uninitialized', true],
  ['deployment.machine.sapcloud.io/prefer-no-schedule', true],
  ['node.gardener.cloud/critical-components-not-ready', false],
  ['node-role.kubernetes.io/control-plane', false],
  ['dedicated', false],
])('the taint %s is reserved: %p', (key, reserved) => {
  expect(isReservedTaint(key)).toBe(reserved);
});
