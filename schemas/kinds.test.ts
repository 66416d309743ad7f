import { describe, expect, test } from 'bun:test';
import Ajv from 'ajv';
import fc from 'fast-check';
import * as v from 'valibot';
import { time } from './common.ts';
import { kindSchema } from './crd.ts';
import { type Manifest, readExamples } from './examples.fixture.ts';
import type { CelRule } from './field.ts';
import { apiVersionOf } from './kind.ts';
import { apiVersion, kinds } from './kinds.ts';
import { virtualSpec } from './providers/virtual.ts';

const ajv = new Ajv({ strict: true, strictTypes: false, logger: false });
const extensions = ['int-or-string', 'preserve-unknown-fields', 'list-type', 'list-map-keys', 'map-type'];
ajv.addVocabulary(extensions.map((name) => `x-kubernetes-${name}`));
ajv.addKeyword({
  keyword: 'x-kubernetes-validations',
  compile: (rules: CelRule[]) => (value: unknown) => rules.every(({ rule }) => isOfForm(rule, value)),
});
ajv.addFormat('date-time', (text: string) => v.is(time, text));
ajv.addFormat('int32', true).addFormat('int64', true);

/** Rules that hold a text to an expression; what other rules in CEL say, the API server is asked. */
function isOfForm(rule: string, value: unknown): boolean {
  const [, form] = /^(?:type\(self\) == int \|\| )?self\.matches\((".*")\)$/.exec(rule) ?? [];
  return form === undefined || typeof value !== 'string' || new RegExp(JSON.parse(form)).test(value);
}

const judges = new Map(
  kinds.map((kind) => {
    const compiled = ajv.compile(kindSchema(kind));
    return [
      kind.kind,
      { ajv: (object: unknown) => compiled(object), valibot: (object: unknown) => v.is(kind.schema, object) },
    ];
  }),
);

/** What both say of an object. */
function judge(object: Manifest): { ajv: boolean; valibot: boolean } {
  const found = judges.get(object.kind);
  if (!found) throw new Error(`${object.metadata.name} is of kind ${object.kind}, which is not ours`);
  return { ajv: found.ajv(object), valibot: found.valibot(object) };
}

const accepted = { ajv: true, valibot: true };
const refused = { ajv: false, valibot: false };

const examples = (await readExamples()).flatMap(({ file, objects }) =>
  objects
    .filter((object) => kinds.map(apiVersionOf).includes(object.apiVersion))
    .map((object): [string, Manifest] => [`${file} ${object.kind}`, object]),
);

/** A copy of an object with another value at a path such as `spec.strategy.type`. */
function changed(object: Manifest, path: string, value: unknown): Manifest {
  const copy = structuredClone(object);
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const parent = keys.reduce(
    (at, key) => {
      at[key] ??= {};
      return at[key] as Record<string, unknown>;
    },
    copy as Record<string, unknown>,
  );
  parent[last] = value;
  return copy;
}

const bare = (kind: string, rest: object): Manifest => ({ apiVersion, kind, metadata: { name: 'a' }, ...rest });
const good = {
  MachineClass: bare('MachineClass', { providerSpec: {} }),
  Machine: bare('Machine', { spec: {} }),
  MachineSet: bare('MachineSet', { spec: {} }),
  MachineDeployment: bare('MachineDeployment', { spec: { template: {} } }),
  Cluster: bare('Cluster', { spec: { kubeconfigSecretRef: { name: 'west' } } }),
  MachineDrainRule: bare('MachineDrainRule', { spec: { drain: { behavior: 'Drain' } } }),
};
const condition = {
  type: 'Reachable',
  status: 'True',
  reason: 'Answers',
  message: '',
  lastTransitionTime: '2026-01-31T08:00:00Z',
};
type Row = [kind: keyof typeof good, path: string, value: unknown];

describe('the schemas accept', () => {
  test.each(examples)('%s', (_name, object) => {
    expect(judge(object)).toEqual(accepted);
  });

  test.each<Row>([
    [
      'MachineClass',
      'nodeTemplate',
      { capacity: { cpu: 2, memory: '4Gi' }, instanceType: '', region: '', zone: '', more: 1 },
    ],
    ['Machine', 'spec.class', {}],
    ['Machine', 'spec.drainTimeout', '2h0m0s'],
    ['Machine', 'spec.drainTimeout', '1.5s'],
    ['Machine', 'spec.drainTimeout', '0'],
    ['Machine', 'spec.nextRestartTime', 'now'],
    ['Machine', 'spec.nodeTemplate.metadata.creationTimestamp', null],
    ['Machine', 'spec.unknown', { pruned: true }],
    ['Machine', 'status.currentStatus.phase', ''],
    ['Machine', 'status.currentStatus.lastUpdateTime', '2026-01-31T08:00:00.123456Z'],
    ['Machine', 'status.lastOperation', { type: '', state: '' }],
    ['MachineSet', 'spec.replicas', 2 ** 31 - 1],
    ['MachineSet', 'spec.selector', {}],
    ['MachineDeployment', 'spec.strategy', {}],
    ['MachineDeployment', 'spec.strategy.rollingUpdate', { maxSurge: '25%', maxUnavailable: 0 }],
    ['MachineDeployment', 'spec.rollbackTo', {}],
    ['Cluster', 'spec.kubeconfigSecretRef.name', 'west.admin-1'],
    ['Cluster', 'spec.kubeconfigSecretRef.key', 'admin.conf'],
    ['Cluster', 'status.conditions', [condition]],
    ['MachineDrainRule', 'spec.drain.order', -(2 ** 31)],
    ['MachineDrainRule', 'spec.pods', [{ selector: {} }]],
    ['MachineClass', 'status.conditions', [condition]],
  ])('a %s whose %s is %j', (kind, path, value) => {
    expect(judge(changed(good[kind], path, value))).toEqual(accepted);
  });
});

describe('the schemas refuse', () => {
  test.each<Row>([
    ['MachineClass', 'providerSpec', undefined],
    ['MachineClass', 'providerSpec', 'text'],
    ['MachineClass', 'provider', 7],
    ['MachineClass', 'nodeTemplate', { capacity: {} }],
    ['MachineClass', 'nodeTemplate', { capacity: { cpu: 'two' }, instanceType: '', region: '', zone: '' }],
    ['MachineClass', 'nodeTemplate', { capacity: { cpu: 1.5 }, instanceType: '', region: '', zone: '' }],
    ['Machine', 'spec.class.name', 1],
    ['MachineDrainRule', 'spec.drain', {}],
    ['MachineDrainRule', 'spec.drain.behavior', 'skip'],
    ['MachineDrainRule', 'spec.drain.order', 1.5],
    ['MachineDrainRule', 'spec.machines', []],
    ['MachineDrainRule', 'spec.pods', []],
    ['MachineDrainRule', 'spec.pods', Array(33).fill({ selector: {} })],
    ['Machine', 'spec.drainTimeout', '10'],
    ['Machine', 'spec.drainTimeout', '-5m'],
    ['Machine', 'spec.drainTimeout', 600],
    ['Machine', 'spec.maxEvictRetries', -1],
    ['Machine', 'spec.maxEvictRetries', 1.5],
    ['Machine', 'spec.provider', ''],
    ['Machine', 'spec.powerState', 'On'],
    ['Machine', 'spec.powerOffMode', 'soft'],
    ['Machine', 'spec.deletionPolicy', 'Keep'],
    ['Machine', 'spec.nextRestartTime', 'tomorrow'],
    ['Machine', 'spec.promoteDisksMode', 'Always'],
    ['Machine', 'spec.network.interfaces', [{ network: 'a' }]],
    ['Machine', 'spec.network.interfaces', [{ name: 'a', macAddress: '02:00' }]],
    ['Machine', 'spec.taints', [{ key: 'a' }]],
    ['Machine', 'spec.taints', [{ key: 'a', effect: 'Never' }]],
    ['Machine', 'spec.nodeTemplate.metadata.labels', { a: 1 }],
    ['Machine', 'status.currentStatus.phase', 'Sleeping'],
    ['Machine', 'status.currentStatus.lastUpdateTime', 'yesterday'],
    ['Machine', 'status.lastOperation.state', 'Done'],
    ['Machine', 'status.conditions', [{ type: 'Ready' }]],
    ['Machine', 'status.deletion', {}],
    ['MachineSet', 'spec.replicas', -1],
    ['MachineSet', 'spec.replicas', 2 ** 31],
    ['MachineSet', 'spec.replicas', '3'],
    ['MachineSet', 'spec.selector.matchLabels', { a: true }],
    ['MachineSet', 'spec.selector.matchExpressions', [{ key: 'a', operator: 'Like' }]],
    ['MachineDeployment', 'spec.template', undefined],
    ['MachineDeployment', 'spec.strategy.type', ''],
    ['MachineDeployment', 'spec.strategy.type', 'BlueGreen'],
    ['MachineDeployment', 'spec.strategy.rollingUpdate.maxSurge', '1'],
    ['MachineDeployment', 'spec.strategy.rollingUpdate.maxSurge', -1],
    ['MachineDeployment', 'spec.strategy.rollingUpdate.maxUnavailable', '25 %'],
    ['MachineDeployment', 'spec.strategy.inPlaceUpdate.orchestrationType', 'auto'],
    ['MachineDeployment', 'spec.paused', 'yes'],
    ['Cluster', 'spec', undefined],
    ['Cluster', 'spec.kubeconfigSecretRef', {}],
    ['Cluster', 'spec.kubeconfigSecretRef.name', ''],
    ['Cluster', 'spec.kubeconfigSecretRef.name', 'West'],
    ['Cluster', 'spec.kubeconfigSecretRef.key', 'a b'],
    ['Cluster', 'spec.deletionProtection', 'true'],
    ['Cluster', 'status.conditions', [{ ...condition, status: 'Maybe' }]],
    ['Cluster', 'status.conditions', [{ type: 'Reachable', status: 'True' }]],
  ])('a %s whose %s is %j', (kind, path, value) => {
    const object = changed(good[kind], path, value);
    expect(judge(JSON.parse(JSON.stringify(object)))).toEqual(refused);
  });
});

/** Paths of an object's values, metadata of Kubernetes aside, which the API server checks itself. */
function paths(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, child]) => paths(child, path === '' ? key : `${path}.${key}`));
}

test('valibot and the CRD agree on examples with anything in any place', () => {
  const place = fc.constantFrom(...examples).chain(([, object]) => {
    const { apiVersion: _, kind: __, metadata: ___, ...own } = object;
    return fc.tuple(fc.constant(object), fc.constantFrom(...paths(own, '').filter((path) => !path.includes('/'))));
  });
  // An array in the place of an object is left out: valibot takes it for an object, the API server does not.
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.double({ noNaN: true }),
    fc.boolean(),
    fc.constantFrom(null, {}, '5m', '4Gi', '25%', 'now'),
  );
  fc.assert(
    fc.property(place, value, ([object, path], replacement) => {
      const verdict = judge(changed(object, path, replacement));
      expect(verdict.valibot).toBe(verdict.ajv);
    }),
    { numRuns: 2_000 },
  );
});

test('what the examples say to the virtual driver is what that driver takes', () => {
  const places = examples.flatMap(([, object]) => [object, object['spec'] as Record<string, unknown> | undefined]);
  const specs = places.flatMap((place) => (place?.['provider'] === 'virtual' ? [place['providerSpec']] : []));
  expect(specs.length).toBeGreaterThan(0);
  for (const spec of specs) expect(v.is(virtualSpec, spec)).toBe(true);
});
