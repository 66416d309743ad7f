import { describe, expect, test } from 'bun:test';
import { call } from '../../hack/controlplane/call.ts';
import { celOf } from '../../hack/generate/crdrules.ts';
import type { Manifest } from '../../schemas/examples.ts';
import { apiVersion, kinds } from '../../schemas/kinds.ts';
import { controlPlane } from './cluster.ts';

const { admin, namespace: makeNamespace } = await controlPlane();
const namespace = await makeNamespace('rules');

const pathOf = (kind: string): string =>
  `/apis/${apiVersion}/namespaces/${namespace}/${kinds.find((known) => known.kind === kind)?.plural}`;

const create = (kind: string, rest: object): Promise<unknown> =>
  call(admin, {
    method: 'POST',
    path: pathOf(kind),
    body: { apiVersion, kind, metadata: { generateName: 'a-' }, ...rest },
  });

const merge = (path: string, body: object): Promise<unknown> =>
  call(admin, { method: 'PATCH', path, contentType: 'application/merge-patch+json', body });

const inline = { provider: 'virtual', providerSpec: {} };
const ofClass = { class: { kind: 'MachineClass', name: 'c' } };
const strategy = (type: string, rest: object) => ({ spec: { template: {}, strategy: { type, ...rest } } });
const still = { maxSurge: '0%', maxUnavailable: 0 };

const refusedOnCreation: Array<[what: string, kind: string, rest: object, says: string]> = [
  ['a class beside an inline spec', 'Machine', { spec: { ...ofClass, ...inline } }, 'not both'],
  ['the same in a template', 'MachineSet', { spec: { template: { spec: { ...ofClass, ...inline } } } }, 'not both'],
  ['a provider without its spec', 'Machine', { spec: { provider: 'virtual' } }, 'set both or neither'],
  ['a spec without its provider', 'Machine', { spec: { providerSpec: {} } }, 'set both or neither'],
  ['two images', 'Machine', { spec: { image: { name: 'a', ref: 'b' } } }, 'set either name'],
  ['no image', 'Machine', { spec: { image: {} } }, 'set either name'],
  [
    'an address alone',
    'Machine',
    { spec: { network: { interfaces: [{ name: 'a', addresses: ['10.0.0.5'] }] } } },
    'prefix length',
  ],
  [
    'two interfaces of a name',
    'Machine',
    { spec: { network: { interfaces: [{ name: 'a' }, { name: 'a' }] } } },
    'Duplicate',
  ],
  [
    'a rollout that cannot move',
    'MachineDeployment',
    strategy('RollingUpdate', { rollingUpdate: still }),
    'cannot both be 0',
  ],
  [
    'an update in place that cannot move',
    'MachineDeployment',
    strategy('InPlaceUpdate', { inPlaceUpdate: still }),
    'cannot both be 0',
  ],
  [
    'rollout limits without a rollout',
    'MachineDeployment',
    strategy('Recreate', { rollingUpdate: {} }),
    'goes with type RollingUpdate',
  ],
  [
    'in-place limits without updates in place',
    'MachineDeployment',
    strategy('RollingUpdate', { inPlaceUpdate: {} }),
    'goes with type InPlaceUpdate',
  ],
  [
    'a rollout that cannot move, in shares',
    'MachineDeployment',
    strategy('RollingUpdate', { rollingUpdate: { maxSurge: '00%', maxUnavailable: '0%' } }),
    'cannot both be 0',
  ],
  [
    'more than all machines',
    'MachineDeployment',
    strategy('RollingUpdate', { rollingUpdate: { maxUnavailable: '101%' } }),
    'more than 100%',
  ],
  ['a class of an old kind', 'Machine', { spec: { class: { kind: 'AWSMachineClass', name: 'c' } } }, 'older kind'],
  ['no time to create', 'Machine', { spec: { creationTimeout: '0h0.0s' } }, 'longer than 0'],
  [
    'no time to become healthy',
    'MachineSet',
    { spec: { template: { spec: { healthTimeout: '0' } } } },
    'longer than 0',
  ],
  [
    'suspended from the start',
    'MachineSet',
    { spec: { template: { spec: { powerState: 'Suspended' } } } },
    'a new machine cannot be Suspended',
  ],
  [
    'two taints of a key and an effect',
    'Machine',
    {
      spec: {
        taints: [
          { key: 'a', effect: 'NoExecute' },
          { key: 'a', value: 'b', effect: 'NoExecute' },
        ],
      },
    },
    'Duplicate',
  ],
  [
    'a day that no month has',
    'Machine',
    { spec: { nextRestartTime: '2030-01-32T03:00:00Z' } },
    'must be a time such as 2030-01-31T08:00:00Z, or now',
  ],
  [
    'a duration in words',
    'Machine',
    { spec: { creationTimeout: '10 minutes' } },
    'must be a duration such as 90s or 1h30m',
  ],
  [
    'a share without its sign',
    'MachineDeployment',
    strategy('RollingUpdate', { rollingUpdate: { maxSurge: '25' } }),
    'must be a count or percent such as 1 (without quotes) or 25%',
  ],
  [
    'a hardware address with dashes',
    'Machine',
    { spec: { network: { interfaces: [{ name: 'a', macAddress: '02-00-0a-14-00-0f' }] } } },
    'must be a MAC address such as 02:00:0a:14:00:0f',
  ],
];

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
