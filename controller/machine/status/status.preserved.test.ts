import { expect, test } from 'bun:test';
import { at, BORN, inPhase } from '../../../test/fixtures/objects.ts';
import { fail } from '../../flow/flow.ts';
import { idle, readyNode, recorded, view, vm } from '../flow/view.fixture.ts';
import type { NodeFact } from '../flow/view.ts';
import { statusOf } from './status.ts';

const KEY = 'node.machine.sapcloud.io/preserve';
const LATER = at(4_000);

interface Case {
  node?: NodeFact;
  wish?: string;
  until?: string | undefined;
  before?: string;
}

/** What a Failed machine says of its preservation after a pass, in its condition of that name. */
function says({ node = { at: 'absent' }, wish = 'when-failed', until = LATER, before }: Case): string | undefined {
  const conditions = before ? [{ type: 'Preserved', status: before, reason: 'Preserved by user.' }] : [];
  const status = { currentStatus: { preserveExpiryTime: until }, conditions, errorReason: 'CreationTimedOut' };
  const failed = inPhase('Failed', 0, {
    ...recorded,
    metadata: { ...recorded.metadata, annotations: { [KEY]: wish } },
    status,
  } as never);
  const calls = { ...idle, askedAt: BORN + 60_000 };
  const seen = view({ machine: failed, vm, calls, node, now: BORN + 60_000 });
  const decision = { step: 'VMCreated', outcome: fail('CreationTimedOut', 'no VM within 600s') };
  const told = statusOf(seen, decision, at(60))?.conditions?.find(({ type }) => type === 'Preserved');
  return told && [told.status, told.reason, told.message].filter(Boolean).join(' ');
}

// hack/decisions/0051 U45
test.each<[string, Case, string | undefined]>([
  ['is kept for whoever asked', {}, `True Preserved by user. Machine preserved until ${LATER}.`],
  ['is kept unasked', { wish: 'auto-preserved' }, `True Preserved by MCM. Machine preserved until ${LATER}.`],
  [
    'is kept without a target cluster',
    { node: { at: 'none' } },
    `True Preserved by user. Machine preserved until ${LATER}.`,
  ],
  ['is no longer kept', { wish: 'false', before: 'True' }, 'False Preservation stopped.'],
  ['was never kept', { wish: 'false', until: undefined }, undefined],
  ['has been kept for its time', { until: at(30), before: 'True' }, 'False Preservation stopped.'],
  ['has been kept, and cannot be looked at', { node: { at: 'unknown' }, before: 'True' }, 'True Preserved by user.'],
  ['has a Node: that tells it', { node: { ...readyNode, ready: false } }, undefined],
])('a machine without a Node that %s says so itself', (_what, one, told) => {
  expect(says(one)).toBe(told as string);
});
