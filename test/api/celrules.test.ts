import { describe, expect, test } from 'bun:test';
import { call } from '../../hack/controlplane/call.ts';
import { celOf } from '../../hack/generate/crdrules.ts';
import type { Manifest } from '../../schemas/examples.fixture.ts';
import { apiVersionOf } from '../../schemas/kind.ts';
import { kinds } from '../../schemas/kinds.ts';
import { inline, ofClass, reachedBy, refusedOnCreation, strategy } from './support/celcases.ts';
import { controlPlane } from './support/controlplane.ts';

const { admin, namespace: makeNamespace } = await controlPlane();
const namespace = await makeNamespace('rules');

const served = (kind: string) => {
  const known = kinds.find((one) => one.kind === kind);
  if (!known) throw new Error(`${kind} is no kind of ours`);
  return { apiVersion: apiVersionOf(known), plural: known.plural };
};

const pathOf = (kind: string): string => {
  const { apiVersion, plural } = served(kind);
  return `/apis/${apiVersion}/namespaces/${namespace}/${plural}`;
};

const create = (kind: string, rest: object): Promise<unknown> =>
  call(admin, {
    method: 'POST',
    path: pathOf(kind),
    body: { apiVersion: served(kind).apiVersion, kind, metadata: { generateName: 'a-' }, ...rest },
  });

const merge = (path: string, body: object): Promise<unknown> =>
  call(admin, { method: 'PATCH', path, contentType: 'application/merge-patch+json', body });

describe('on creation the API server refuses', () => {
  test.each(refusedOnCreation)('%s', async (_what, kind, rest, says) => {
    await expect(create(kind, rest)).rejects.toThrow(says);
  });

  test('a text of a wrong form once, without the expression', async () => {
    const creation = create('Machine', { spec: { creationTimeout: '10 minutes' } });
    await expect(creation).rejects.toThrow(
      'invalid: spec.creationTimeout: Invalid value: \\"10 minutes\\": must be a duration such as 90s or 1h30m",',
    );
  });
});

describe('on creation the API server accepts', () => {
  test.each<[what: string, kind: string, rest: object]>([
    ['an inline spec', 'Machine', { spec: inline }],
    ['an inline spec beside an empty class', 'Machine', { spec: { ...inline, class: {} } }],
    ['neither', 'Machine', { spec: {} }],
    [
      'fixed addresses',
      'Machine',
      { spec: { network: { interfaces: [{ name: 'a', addresses: ['10.0.0.5/24', 'fd00::5/64'] }] } } },
    ],
    [
      'a rollout by a share',
      'MachineDeployment',
      strategy('RollingUpdate', { rollingUpdate: { maxSurge: 0, maxUnavailable: '10%' } }),
    ],
    // hack/decisions/0051 U12
    [
      'a rollout that counts as one by one',
      'MachineDeployment',
      strategy('RollingUpdate', { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } }),
    ],
    ['no limits for Recreate', 'MachineDeployment', strategy('Recreate', {})],
    [
      'all machines at once, and more above',
      'MachineDeployment',
      strategy('RollingUpdate', { rollingUpdate: { maxSurge: '150%', maxUnavailable: '0100%' } }),
    ],
    ['a class without a kind', 'Machine', { spec: { class: { kind: '', name: 'c' } } }],
    [
      'time-outs',
      'Machine',
      { spec: { creationTimeout: '1h0m0.5s', healthTimeout: '1ns', inPlaceUpdateTimeout: '3ms' } },
    ],
    [
      'a drain without patience, no preservation',
      'Machine',
      { spec: { drainTimeout: '0s', machinePreserveTimeout: '0' } },
    ],
    ['powered off from the start', 'MachineSet', { spec: { template: { spec: { powerState: 'PoweredOff' } } } }],
    [
      'taints of one key',
      'Machine',
      {
        spec: {
          taints: [
            { key: 'a', effect: 'NoExecute' },
            { key: 'a', effect: 'NoSchedule' },
          ],
        },
      },
    ],
    ['a Cluster', 'Cluster', reachedBy({ name: 'west.kubeconfig', key: 'admin.conf' })],
    [
      'a MachineDrainRule',
      'MachineDrainRule',
      { spec: { drain: { behavior: 'Drain', order: -1 }, pods: [{ selector: {} }] } },
    ],
    ['a moment', 'Machine', { spec: { nextRestartTime: '2030-01-31T23:59:59.123456+01:30' } }],
  ])('%s', async (_what, kind, rest) => {
    await create(kind, rest);
  });
});

const withVm = { providerID: 'virtual:///1' };
const refusedOnUpdate: Array<[kind: string, before: object, after: object, says: string]> = [
  [
    'Machine',
    { spec: { providerID: 'virtual:///1' } },
    { spec: { providerID: 'virtual:///2' } },
    'providerID is set once',
  ],
  ['Machine', { spec: { providerID: 'virtual:///1' } }, { spec: { providerID: null } }, 'providerID is set once'],
  ['Machine', { spec: { providerID: 'virtual:///1' } }, { spec: { providerID: '' } }, 'providerID is set once'],
  ['Machine', { spec: { providerID: 'virtual:///1' } }, { spec: null }, 'providerID is set once'],
  ['Machine', { spec: { ...withVm, ...ofClass } }, { spec: { class: { name: 'd' } } }, 'the class of a machine'],
  ['Machine', { spec: { ...withVm, ...ofClass } }, { spec: { class: null } }, 'the class of a machine'],
  ['Machine', { spec: { ...withVm, ...inline } }, { spec: { provider: 'qemu' } }, 'the provider of a machine'],
  [
    'Machine',
    { spec: { ...withVm, ...inline } },
    { spec: { ...ofClass, provider: null, providerSpec: null } },
    'the provider of a machine',
  ],
  [
    'Machine',
    { spec: { powerState: 'PoweredOff' } },
    { spec: { powerState: 'Suspended' } },
    'powered off cannot be Suspended',
  ],
  ['Machine', { spec: { powerState: 'PoweredOff' } }, { spec: { nextRestartTime: 'now' } }, 'can restart'],
  [
    'Machine',
    { spec: { powerState: 'Suspended' } },
    { spec: { nextRestartTime: 'now', powerState: 'PoweredOn' } },
    'can restart',
  ],
  [
    'Machine',
    { spec: { powerState: 'PoweredOn' } },
    { spec: { nextRestartTime: 'now', powerState: 'PoweredOff' } },
    'can restart',
  ],
  ['MachineClass', { provider: 'AWS', providerSpec: {} }, { provider: 'GCP' }, 'provider is set once'],
  ['MachineClass', { provider: 'AWS', providerSpec: {} }, { provider: null }, 'provider is set once'],
  ['MachineClass', { provider: 'AWS', providerSpec: {} }, { provider: '' }, 'provider is set once'],
];

describe('what depends on what was before', () => {
  test.each(refusedOnUpdate)('on a %s: %j does not become %j', async (kind, before, after, says) => {
    const { metadata } = (await create(kind, before)) as Manifest;
    const path = `${pathOf(kind)}/${metadata.name}`;
    await expect(merge(path, after)).rejects.toThrow(says);
    await merge(path, { metadata: { labels: { still: 'writable' } } });
  });

  test.each<[kind: string, before: object, after: object]>([
    ['Machine', { spec: {} }, { spec: { providerID: 'virtual:///1' } }],
    ['Machine', { spec: { providerID: '' } }, { spec: { providerID: 'virtual:///1' } }],
    ['Machine', { spec: { ...ofClass } }, { spec: { class: { name: 'd' } } }],
    ['Machine', { spec: { providerID: '', ...ofClass } }, { spec: { class: { name: 'd' }, ...withVm } }],
    ['Machine', { spec: { ...withVm, ...ofClass } }, { spec: { class: { kind: null, apiGroup: 'x' } } }],
    ['Machine', { spec: { powerState: 'PoweredOn' } }, { spec: { powerState: 'Suspended' } }],
    ['Machine', { spec: {} }, { spec: { nextRestartTime: 'now' } }],
    ['Machine', { spec: { powerState: 'PoweredOn', nextRestartTime: 'now' } }, { spec: { powerState: 'PoweredOff' } }],
    ['MachineClass', { providerSpec: {} }, { provider: 'AWS' }],
    ['MachineClass', { provider: '', providerSpec: {} }, { provider: 'AWS' }],
  ])('on a %s: %j becomes %j', async (kind, before, after) => {
    const { metadata } = (await create(kind, before)) as Manifest;
    await merge(`${pathOf(kind)}/${metadata.name}`, after);
  });
});

test('every rule in CEL is broken by something here', () => {
  const said = [...refusedOnCreation, ...refusedOnUpdate].map((row) => row[3]);
  const unsaid = kinds
    .flatMap(celOf)
    .map(({ rule }) => rule.message)
    .filter((message) => ![...said, NODE_REF].some((part) => message.includes(part)));
  expect(unsaid).toEqual([]);
});

const NODE_REF = 'remove nodeRef first';

test('a nodeRef stays on its Node until it is removed', async () => {
  const { metadata } = (await create('Machine', {})) as Manifest;
  const path = `${pathOf('Machine')}/${metadata.name}/status`;
  const report = (nodeRef: object | null): Promise<unknown> => merge(path, { status: { nodeRef } });
  await report({ name: 'one', uid: '1' });
  await report({ name: 'one', uid: '2' });
  await expect(report({ name: 'other' })).rejects.toThrow(NODE_REF);
  await report(null);
  await report({ name: 'other' });
});
