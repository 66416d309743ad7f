import { expect, test } from 'bun:test';
import { NODE_FINALIZER } from '../../../../schemas/keys.ts';
import { at, BORN, machine, node } from '../../../../test/fixtures/objects.ts';
import { type NodesView, nodeClaimsOf, nodeMark } from './nodeplan.ts';

const MARK = 'node.machine.sapcloud.io/not-managed-by-mcm';
const marked = { metadata: { annotations: { [MARK]: '1' } } };

const view = (machines: ReturnType<typeof machine>[], changes: Partial<NodesView> = {}): NodesView => ({
  now: BORN + 1_200_000,
  steppedAt: 0,
  claims: nodeClaimsOf(machines, { isCreating: () => false }),
  namespace: '',
  creationMs: 1_200_000,
  ...changes,
});

const its = machine({ metadata: { labels: { node: 'm' } }, spec: { providerID: 'virtual:///uid-m' } });
const kept = machine({
  metadata: { labels: { node: 'm' }, deletionTimestamp: at(1), finalizers: ['example.com/audit'] },
  spec: { providerID: 'virtual:///uid-m' },
});
const renamed = machine({ metadata: { name: 'n' }, spec: { providerID: 'virtual:///uid-m' } });
const fresh = machine();

test.each([
  ['without a Machine is marked', node(), view([]), '1'],
  ['without a Machine is marked once', node(marked), view([]), undefined],
  [
    'without a Machine that is young is not marked',
    node({ metadata: { creationTimestamp: at(1) } }),
    view([]),
    undefined,
  ],
  [
    'that is old only because the clock was set is not marked (hack/decisions/0028 R5)',
    node(),
    view([], { steppedAt: BORN + 600_000 }),
    undefined,
  ],
  ['with a Machine is not marked', node(), view([its]), undefined],
  ['with a Machine loses the mark', node(marked), view([its]), null],
  ['whose VM is that of a Machine is not marked', node(), view([renamed]), undefined],
  ['whose Machine has yet to record it is not marked', node(), view([fresh]), undefined],
  ['whose Machine only somebody else keeps is marked (hack/decisions/0051 L106)', node(), view([kept]), '1'],
  ['that goes is left alone', node({ metadata: { deletionTimestamp: at(1) } }), view([]), undefined],
  ['of a namespace that another controller looks after is left alone', node(), view([], { namespace: 'o' }), undefined],
  ['of the namespace that is looked after is marked', node(), view([], { namespace: 'herd' }), '1'],
])('a Node %s (hack/spec/mcm.md 8.3, 13.17)', (_what, object, seen, expected) => {
  expect(nodeMark(object, seen)?.change.annotations?.[MARK]).toBe(expected as string);
});

test('MCM’s finalizer goes from a Node without a Machine, or nobody could delete it (hack/spec/mcm.md 13.17)', () => {
  const held = node({ metadata: { ...marked.metadata, finalizers: [NODE_FINALIZER] } });
  expect(nodeMark(held, view([]))?.release).toBe(true);
  expect(nodeMark(held, view([its]))?.release).toBe(false);
});
