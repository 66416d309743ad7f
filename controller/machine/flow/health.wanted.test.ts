import { expect, test } from 'bun:test';
import { inPhase, node } from '../../../test/fixtures/objects.ts';
import { plan } from './flow.ts';
import { idle, readyNode, recorded, view, vm } from './view.fixture.ts';

const TRIGGER = 'node.machine.sapcloud.io/trigger-deletion-by-mcm';
const asking = (value: string, ready = true) => ({
  ...readyNode,
  ready,
  object: node({ metadata: { annotations: { [TRIGGER]: value } } }),
});

test.each([
  ['whose Node asks for it goes', asking('true'), 'DeletionNotRequested'],
  ['whose Node asks for it while it is not ready goes at once', asking('true', false), 'DeletionNotRequested'],
  ['whose Node says something else stays', asking('m1~2026-01-01T00:00:00Z'), 'Reconciled'],
  ['whose Node says nothing stays', readyNode, 'Reconciled'],
] as const)('a Machine %s (hack/decisions/0000 3)', (_what, seen, step) => {
  const facts = { machine: inPhase('Running', 0, recorded), vm, calls: { ...idle, askedAt: view().now }, node: seen };
  expect(plan(view(facts)).step).toBe(step);
});
