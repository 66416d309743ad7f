import { expect, test } from 'bun:test';
import { at, inPhase, machineSet } from '../../test/fixtures/objects.ts';
import { ownedBy } from '../model/ownership.ts';
import { letGo } from './childwrites.ts';

/** hack/decisions/0051 S37: the last look at who is left is at the API server. */
test.each([
  ['keeps a deleted set', undefined, []],
  ['of which only the object is kept by somebody else lets it go', ['example.com/audit'], ['set']],
])('a machine %s', async (_what, finalizers, released) => {
  const owner = machineSet({ metadata: { deletionTimestamp: at(1) } });
  const ownerReferences = [ownedBy(owner, 'MachineSet')];
  const changes = { deletionTimestamp: at(1), ownerReferences, ...(finalizers && { finalizers }) };
  const left = inPhase('Terminating', 0, { metadata: changes });
  const patched: string[] = [];
  const writes = {
    api: {
      list: async () => ({ items: [left] }),
      delete: async () => left,
      patch: async (_resource: unknown, { name }: { name: string }) => {
        patched.push(name);
        return owner;
      },
    },
    cache: { whenSeen: async () => {}, whenGone: async () => {}, get: () => left },
  } as never;
  await letGo({ owner, ownerWrites: writes, childWrites: writes }, owner.spec?.selector);
  expect(patched).toEqual(released);
});
