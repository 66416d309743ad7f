import { describe, expect, test } from 'bun:test';
import { machinePriority } from '../../controller/flow/priority.ts';
import { plan } from '../../controller/machine/flow/flow.ts';
import { asks, change, seen as synced } from '../../controller/machine/flow/nodesync.fixture.ts';
import { idle, readyNode, recorded, view, vm } from '../../controller/machine/flow/view.fixture.ts';
import { LABEL_NODE } from '../../schemas/keys.ts';
import { machineClaims, protectedKeys } from '../../webhook/admission/protectedkeys.ts';
import { at, BORN, machine } from '../fixtures/objects.ts';

/** hack/decisions/0051 C3: a key that only some may touch does what its row says, or says no more than that it is guarded. */

interface Metadata {
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
  deletionTimestamp?: string;
}

/** What is decided for a machine that runs. */
const decided = ({ labels = {}, ...metadata }: Metadata, spec = {}) =>
  plan(
    view({
      machine: machine({
        ...recorded,
        metadata: { ...metadata, labels: { ...recorded.metadata.labels, ...labels } },
        spec: { ...recorded.spec, ...spec },
      }),
      vm,
      node: readyNode,
      calls: { ...idle, askedAt: BORN },
    }),
  );

const priority = (annotations: Record<string, string>) =>
  machinePriority(machine({ metadata: { annotations } }), 'update', { can: new Set(), heldUp: false });
const leaving = (annotations: Record<string, string>) => decided({ annotations, deletionTimestamp: at(30) });
const PAUSED = { 'cluster.x-k8s.io/paused': '' };

/** What is decided without and with a key of each pattern; or words of its row, which promise no more. */
const heeded: Readonly<Record<string, ((key: string) => readonly [unknown, unknown]) | string>> = {
  'protected.drover.dev/reconcile-priority': (key) => [priority({}), priority({ [key]: '7' })],
  'vmoperator.vmware.com.protected/reconcile-priority': (key) => [priority({}), priority({ [key]: '7' })],
  'delete.check.drover.dev/*': (key) => [leaving({}), leaving({ [key]: '' })],
  'delete.check.vmoperator.vmware.com/*': (key) => [leaving({}), leaving({ [key]: '' })],
  'vmoperator.vmware.com/paused': (key) => [
    decided({ annotations: PAUSED }),
    decided({ annotations: PAUSED, labels: { [key]: 'devops' } }),
  ],
  'protected.drover.dev/*': () => [decided({}), decided({ annotations: { 'protected.drover.dev/paused': '' } })],
  '*.protected/*': 'in its name',
};

/** What a nodeTemplate with such a label writes to the Node. */
const onNode = (key: string): readonly [unknown, unknown] => [
  change(synced({})),
  change(synced({ template: asks({ [key]: '' }) })),
];

describe.each(protectedKeys.map((row) => [row.id, row] as const))('%s', (_id, { keys, of, description }) => {
  test.each(keys.map((key) => [key]))('%s', (pattern) => {
    const row = of === 'nodes' ? onNode : heeded[pattern];
    if (typeof row === 'string') return expect(description).toContain(row);
    const [without, withIt] = row?.(pattern.replaceAll('*', 'x')) ?? [];
    expect(row).toBeDefined();
    expect(withIt).not.toEqual(without as never);
  });
});

test('each row is of a key that is guarded', () => {
  const guarded = protectedKeys.flatMap(({ keys }) => keys);
  expect(Object.keys(heeded).filter((pattern) => !guarded.includes(pattern))).toEqual([]);
});

/** What says which VM and which Node are a machine's. */
const claims: Readonly<Record<string, () => readonly [unknown, unknown]>> = {
  'claimed-node': () => [decided({}), decided({ labels: { [LABEL_NODE]: '' } })],
  'claimed-vm': () => [decided({}), decided({}, { providerID: '' })],
};

test.each(machineClaims.map(({ id }) => [id]))('%s', (id) => {
  const [without, withIt] = claims[id]?.() ?? [];
  expect(claims[id]).toBeDefined();
  expect(withIt).not.toEqual(without as never);
});
