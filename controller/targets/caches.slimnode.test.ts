import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from '../runtime/k8s/core.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { makeTargetCaches, slimNode } from './caches.ts';

/** hack/decisions/0028 R9: a Node is nine tenths images, and there are thousands of Nodes. */

const metadata = {
  name: 'a',
  uid: 'u',
  resourceVersion: '1',
  labels: { zone: 'a' },
  annotations: { note: 'mine' },
  finalizers: ['f'],
};
const spec = { providerID: 'p', unschedulable: true, taints: [{ key: 'k', effect: 'NoExecute' }] };
const read = {
  conditions: [{ type: 'Ready', status: 'True' }],
  addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
  capacity: { cpu: '8' },
  nodeInfo: { kubeletVersion: 'v1.36.2' },
  volumesAttached: [{ name: 'v' }],
};

test('a Node loses its images and what else nobody reads, and keeps all the rest', () => {
  const whole = {
    metadata,
    spec,
    status: { ...read, images: [{ names: ['i'] }], allocatable: {}, volumesInUse: ['v'] },
  };
  expect(slimNode(whole)).toEqual({ metadata, spec, status: read });
  expect(slimNode({ metadata })).toEqual({ metadata });
});

test('the cache of a target keeps it so, without managed fields', () => {
  const { nodes } = makeTargetCaches(new FakeLog());
  const managed = { ...metadata, managedFields: [{ manager: 'kubelet' }] };
  nodes.put({ metadata: managed, spec, status: { ...read, images: [{}] } as never });
  expect(nodes.list()).toEqual([{ metadata, spec, status: read }]);
});

const ROOT = join(import.meta.dir, '..');

test('nothing of the controller replaces an object as a whole but a Lease that is its own', async () => {
  const found: string[] = [];
  for await (const file of new Bun.Glob('**/*.ts').scan(ROOT)) {
    if (/\.(test|fake|fixture)\.ts$/.test(file)) continue;
    const text = readFileSync(join(ROOT, file), 'utf8');
    if (/\bapi\??\.replace\(/.test(text)) found.push(file);
  }
  expect(found).toEqual(['runtime/leader/candidate.ts']);
});

/** hack/decisions/0028 T75: what a Node says of itself was copied into the status of its Machine as it came, megabytes with each of its changes. */
describe('of what a Node says', () => {
  const having = (status: object) => slimNode({ metadata, status } as Node).status ?? {};
  const long = 'x'.repeat(2_000);

  test('the first hundred conditions and addresses are kept, in whatever form they come', () => {
    const many = Array.from({ length: 200 }, (_, at) => ({ type: `T${at}`, status: 'True' }));
    const hosts = many.map(({ type }) => ({ type, address: '10.0.0.1' }));
    const { conditions, addresses } = having({ conditions: many, addresses: hosts });
    expect([conditions, addresses]).toEqual([many.slice(0, 100), hosts.slice(0, 100)]);
    expect(having({ conditions: {}, addresses: 7 })).toEqual({ conditions: [], addresses: [] });
  });

  // hack/decisions/0028 T91
  test('no fields are that a Node does not have', () => {
    const more = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`f${at}`, 'x']));
    const known = {
      conditions: [{ type: 'Ready', status: 'True' }],
      addresses: [{ type: 'Hostname', address: 'a' }],
      nodeInfo: { kubeletVersion: 'v1' },
    };
    const { conditions, addresses, nodeInfo } = known;
    const wide = {
      conditions: [{ ...conditions[0], ...more }],
      addresses: [{ ...addresses[0], ...more }],
      nodeInfo: { ...nodeInfo, ...more },
    };
    expect(having(wide)).toEqual(known);
  });

  test('the beginning of texts is that are longer than any', () => {
    const said = having({
      conditions: [{ type: 'Ready', status: 'True', reason: long, message: long }],
      addresses: [{ type: 'Hostname', address: long }],
      nodeInfo: { kubeletVersion: long },
    });
    const cut = 'x'.repeat(1_024);
    expect(said).toEqual({
      conditions: [{ type: 'Ready', status: 'True', reason: cut, message: cut }],
      addresses: [{ type: 'Hostname', address: cut }],
      nodeInfo: { kubeletVersion: cut },
    });
  });
});
