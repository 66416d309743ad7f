import { expect, test } from 'bun:test';
import { machine, node } from '../../test/fixtures/objects.ts';
import { recorded } from './flow/view.fixture.ts';
import { seen } from './observe.fixture.ts';

const BOUND = 4_096;

/** Whether a Node with the condition `Broken` is ready for a Machine that watches these. */
function isReady(nodeConditions: string): boolean | undefined {
  const one = machine({ ...recorded, spec: { ...recorded.spec, nodeConditions } } as never);
  const broken = node({ status: { conditions: [{ type: 'Broken', status: 'True' }] } } as never);
  const found = seen(one, { nodes: [broken] })?.node;
  return found?.at === 'present' ? found.ready : undefined;
}

// hack/decisions/0028 T82
test('of more conditions than a Machine may watch those at the beginning count', () => {
  expect(isReady('Broken')).toBe(false);
  expect(isReady(`Broken,${'x,'.repeat(BOUND)}`)).toBe(false);
  expect(isReady(`${'x,'.repeat(BOUND / 2)}Broken`)).toBe(true);
});
