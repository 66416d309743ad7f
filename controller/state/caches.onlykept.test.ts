import { expect, test } from 'bun:test';
import { FINALIZER } from '../../schemas/keys.ts';
import { at, machine } from '../../test/fixtures/objects.ts';
import { endOf } from '../drivers/sdk/vmstatus.ts';
import { nodeKeysOf } from '../model/target.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { makeCaches } from './caches.ts';

// hack/decisions/0051 L106
test.each([
  ['has neither VM nor Node any more once only somebody else keeps it', ['example.com/audit'], 0],
  ['has both while it has yet to go', [FINALIZER, 'example.com/audit'], 1],
])('a deleted machine %s', (_what, finalizers, count) => {
  const one = machine({
    metadata: { finalizers, deletionTimestamp: at(1), labels: { node: 'm' } },
    spec: { providerID: 'virtual:///uid-m' },
  });
  const { machines } = makeCaches(new FakeLog());
  machines.put(one);
  const found = [
    machines.by('vm', endOf('virtual:///uid-m')),
    ...nodeKeysOf(one).map((key) => machines.by('node', key)),
  ];
  expect(found.map(({ length }) => length)).toEqual([count, count]);
});
