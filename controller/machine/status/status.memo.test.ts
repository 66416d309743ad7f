import { describe, expect, test } from 'bun:test';
import { at, BORN, machine } from '../../../test/fixtures/objects.ts';
import { plan } from '../flow/flow.ts';
import { idle, readyNode, recorded, view, vm } from '../flow/view.fixture.ts';
import type { MachineView } from '../flow/view.ts';
import { statusOf } from './status.ts';

const asked = { ...idle, askedAt: BORN + 60_000 };
const write = (facts: Partial<MachineView>) => {
  const seen = view(facts);
  return statusOf(seen, plan(seen), at(60));
};

describe('the driver’s memo', () => {
  const one = machine({ ...recorded, status: { lastKnownState: 'old' } });
  test.each([
    [
      'is kept before the next action, by itself',
      { calls: { ...asked, lastKnownState: 'new' } },
      { lastKnownState: 'new' },
    ],
    ['that was never told stays as it is', { machine: one, vm, calls: asked, node: readyNode }, 'old'],
    [
      'goes with the rest of the status',
      { machine: one, vm, calls: { ...asked, lastKnownState: 'new' }, node: readyNode },
      'new',
    ],
    ['can be cleared', { machine: one, vm, calls: { ...asked, lastKnownState: '' }, node: readyNode }, undefined],
    ['that was never there is not cleared', { calls: { ...asked, lastKnownState: '' } }, 'nothing'],
  ] as const)('%s', (_what, facts, kept) => {
    const status = write(facts as Partial<MachineView>);
    if (typeof kept === 'object') expect(status).toEqual(kept);
    else expect(status ? status.lastKnownState : 'nothing').toBe(kept as string);
  });
});
