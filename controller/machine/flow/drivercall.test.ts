import { describe, expect, test } from 'bun:test';
import { at, BORN, inPhase, machine } from '../../../test/fixtures/objects.ts';
import { methodAwaited, plan } from './flow.ts';
import { idle, readyNode, recorded, view, vm } from './view.fixture.ts';
import type { MachineView } from './view.ts';

const leaves = { ...recorded.metadata, deletionTimestamp: at(50) };
const asked = { ...idle, askedAt: BORN + 60_000 };

// hack/decisions/0028 O10
// hack/decisions/0051 L14
test.each([
  ['whose VM is unknown', {}, 'GetVMStatus'],
  ['whose VM is not done', { machine: machine(recorded), vm: { ...vm, initialized: false } }, 'InitializeVM'],
  [
    'that leaves, and whose VM nobody has told of yet',
    {
      machine: inPhase('Running', 0, { ...recorded, metadata: { ...recorded.metadata, deletionTimestamp: at(50) } }),
      claim: { at: 'unknown' },
    },
    'GetVMStatus',
  ],
  [
    'that leaves, and whose VM is to stay',
    {
      machine: machine({ ...recorded, metadata: { ...leaves }, spec: { ...recorded.spec, deletionPolicy: 'Retain' } }),
    },
    'RetainVM',
  ],
  [
    'whose VM is to be claimed anew',
    { machine: machine(recorded), vm, calls: asked, claim: { at: 'heir', of: { name: 'm' } } },
    'ClaimVM',
  ],
] as const)('a Machine %s waits for no slot to make or delete', (_what, facts, reason) => {
  const { outcome } = plan(
    view({
      ...facts,
      calls: { ...asked, full: ['createMachine', 'deleteMachine', 'updateMachine'] },
    } as Partial<MachineView>),
  );
  expect(outcome).toMatchObject({ kind: 'act', reason });
});

// hack/decisions/0028 T15
describe('a Machine waits for a slot of the method that it would call next', () => {
  const all = ['createMachine', 'getMachineStatus', 'initializeMachine', 'deleteMachine', 'updateMachine'] as const;
  const gone = { at: 'absent', since: BORN } as const;
  const asked = { ...idle, askedAt: BORN + 60_000 };
  const well = { machine: inPhase('Running', 0, recorded), vm, node: readyNode };
  const leaves = { metadata: { ...recorded.metadata, deletionTimestamp: at(50) } };
  const leaving = { machine: inPhase('Running', 0, { ...recorded, ...leaves }), vm, node: { at: 'none' } } as const;
  test.each([
    ['new, to ask about', {}, 'getMachineStatus', 'VMCreated wait'],
    ['without a VM', { vm: gone, calls: asked }, 'createMachine', 'VMCreated wait'],
    ['without a VM or a token', { vm: gone, calls: asked, token: 'missing' }, 'createMachine', 'VMCreated wait'],
    [
      'unfinished',
      { machine: machine(recorded), vm: { ...vm, initialized: false }, calls: asked },
      'initializeMachine',
      'VMInitialized wait',
    ],
    ['running, of which nothing was heard for long', { ...well, calls: idle }, 'getMachineStatus', 'Reconciled pass'],
    ['running', { ...well, calls: asked }, undefined, 'Reconciled pass'],
    [
      'whose call is in flight',
      { vm: gone, calls: { ...asked, inFlight: { method: 'createMachine', since: BORN } } },
      undefined,
      'VMCreated wait',
    ],
    ['leaving', { ...leaving, calls: asked }, 'deleteMachine', 'VMDeleted wait'],
  ] as const)('%s', (_what, facts, method, says) => {
    const seen = view({
      ...facts,
      calls: { ...('calls' in facts ? facts.calls : idle), full: all },
    } as Partial<MachineView>);
    const decision = plan(seen);
    expect(`${decision.step} ${decision.outcome.kind}`).toBe(says);
    expect(methodAwaited(seen, decision)).toBe(method as never);
  });
});
