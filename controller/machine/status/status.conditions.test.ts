import { expect, test } from 'bun:test';
import { at, BORN, machine } from '../../../test/fixtures/objects.ts';
import { plan } from '../flow/flow.ts';
import { idle, readyNode, recorded, view, vm } from '../flow/view.fixture.ts';
import { statusOf } from './status.ts';

/** Conditions of a Machine whose Node has one of this type, which is not True. */
function besides(type: string) {
  const conditions = [...readyNode.conditions, { type, status: 'False' }];
  const calls = { ...idle, askedAt: BORN + 60_000 };
  const seen = view({ machine: machine(recorded), vm, calls, node: { ...readyNode, conditions } });
  const all = statusOf(seen, plan(seen), at(60))?.conditions ?? [];
  return all.filter((one) => one.type === type).map(({ status }) => status);
}

// hack/decisions/0051 L24
test('a condition of a Node with the name of a step, of a living machine or one that leaves, gives way to it', () => {
  expect(besides('NodeHealthy')).toEqual(['True']);
  expect(besides('Drained')).toEqual([]);
  expect(besides('KernelDeadlock')).toEqual(['False']);
});
