import { expect, test } from 'bun:test';
import { at, inPhase, machine } from '../../test/fixtures/objects.ts';
import { plan } from './reconcile.ts';
import { idle, recorded, view, vm } from './view.fixture.ts';
import type { MachineView } from './view.ts';

// hack/decisions/0028 O10
test.each([
  ['whose VM is unknown', {}, 'AskVm'],
  ['whose VM is not done', { machine: machine(recorded), vm: { ...vm, initialized: false } }, 'InitializeVm'],
  [
    'that leaves, and whose VM nobody has told of yet',
    {
      machine: inPhase('Running', 0, { ...recorded, metadata: { ...recorded.metadata, deletionTimestamp: at(50) } }),
      claim: { at: 'unknown' },
    },
    'AskVm',
  ],
] as const)('a Machine %s takes no slot to ask or finish', (_what, facts, reason) => {
  const { outcome } = plan(view({ ...facts, calls: { ...idle, slotFree: false } } as Partial<MachineView>));
  expect(outcome).toMatchObject({ kind: 'act', reason });
});
