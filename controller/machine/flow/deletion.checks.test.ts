import { describe, expect, test } from 'bun:test';
import { at, machine } from '../../../test/fixtures/objects.ts';
import { plan } from './flow.ts';
import { readyNode, recorded, view, vm } from './view.fixture.ts';

/** What is decided of a Machine that leaves, with a VM and a Node. */
function leaving(annotations: Record<string, string>, labels: Record<string, string> = {}) {
  const metadata = { ...recorded.metadata, deletionTimestamp: at(50), annotations };
  const one = machine({ ...recorded, metadata: { ...metadata, labels: { ...recorded.metadata.labels, ...labels } } });
  const { step, outcome } = plan(view({ machine: one, vm, node: readyNode }));
  return { step, kind: outcome.kind, message: 'message' in outcome ? outcome.message : undefined };
}

const CHECK = 'delete.check.drover.dev/billing';

// hack/decisions/0028 W12
describe('a Machine that leaves', () => {
  test.each([
    ['ours', CHECK],
    ['VM Operator’s', 'delete.check.vmoperator.vmware.com/backup'],
  ])('is held by a check under a key of %s before anything is done', (_whose, key) =>
    expect(leaving({ [key]: '' })).toEqual({
      step: 'DeletionAllowed',
      kind: 'wait',
      message: `held by the annotation ${key}`,
    }),
  );

  test('is held by a check although it goes by force, for whoever may not take the check off may set that label', () =>
    expect(leaving({ [CHECK]: '' }, { 'force-deletion': 'True' }).step).toBe('DeletionAllowed'));

  test('is told which checks hold it, the first five of many', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `delete.check.drover.dev/${name}`);
    const { message } = leaving(Object.fromEntries(names.toReversed().map((key) => [key, ''])));
    expect(message).toBe(`held by the annotations ${names.slice(0, 5).join(', ')} and 2 more`);
  });

  test('is not held by keys that only look alike', () =>
    expect(leaving({ 'delete.check.example.com/billing': '', 'x.delete.check.drover.dev/b': '' }).step).not.toBe(
      'DeletionAllowed',
    ));
});

test('a living Machine goes on with its checks', () => {
  const one = machine({ ...recorded, metadata: { ...recorded.metadata, annotations: { [CHECK]: '' } } });
  expect(plan(view({ machine: one, vm, node: readyNode })).step).not.toBe('DeletionAllowed');
});
