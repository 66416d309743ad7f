import { describe, expect, test } from 'bun:test';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import { at, inPhase, machineDeployment, machineSet, node } from '../../test/fixtures/objects.ts';
import { byOwner, ownedBy } from '../model/ownership.ts';
import { oneTarget } from '../model/target.fixture.ts';
import { HotFields } from '../model/template.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import type { Node } from '../runtime/k8s/core.ts';
import type { KubeObject } from '../runtime/k8s/object.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { openGates } from '../safety/outage/gates.fixture.ts';
import { observe } from './observe.ts';

const pool = machineDeployment({ spec: { autoPreserveFailedMachineMax: 3 } });
const owners = (owner: KubeObject, kind: string) => ({ ownerReferences: [ownedBy(owner, kind)] });
const ofPool = owners(pool, 'MachineDeployment');
const spec = { autoPreserveFailedMachineMax: 1 };
const one = machineSet({ metadata: { name: 'one', uid: 'uid-one', ...ofPool }, spec });
const two = machineSet({ metadata: { name: 'two', uid: 'uid-two', ...ofPool }, spec });
const machineOf = (set: KubeObject, name: string, metadata: object = {}): Machine =>
  inPhase('Failed', 0, {
    metadata: { name, uid: `uid-${name}`, labels: { node: name }, ...owners(set, 'MachineSet'), ...metadata },
  });
const word = (value: string) => ({ annotations: { 'node.machine.sapcloud.io/preserve': value } });

/** How the set `one` preserves, beside these objects. */
function seen(
  machines: Machine[],
  { nodes = [] as Node[], deployments = [pool] as MachineDeployment[], sets = [one, two] } = {},
) {
  const cached = <T extends KubeObject>(objects: readonly T[]) => {
    const cache = new Cache<T>({ indexes: { owner: byOwner } });
    for (const object of objects) cache.put(object);
    return cache;
  };
  const sources = {
    sets: cached(sets),
    machines: cached(machines),
    classes: cached([]) as never,
    secrets: cached([]),
    deployments: cached(deployments),
    gates: openGates,
    clusters: new Map(),
    targets: oneTarget({ nodes: cached(nodes) } as never),
    drivers: new Map(),
    hotFields: new HotFields(new Map()),
    overshoot: { up: 2, down: 1, periodMs: 60_000 },
    births: { count: () => 0 },
    clock: new FakeClock(),
  };
  const { preserving, orphans } = observe(sources, 'herd/one', { salt: 0, refused: new Set() }) ?? {};
  const names = (found: Iterable<Machine> = []) => [...found].map(({ metadata }) => metadata.name).sort();
  return {
    most: preserving?.most,
    counted: names(preserving?.counted),
    candidates: names(preserving?.candidates),
    wished: names(preserving?.wished),
    orphans: names(orphans),
  };
}

describe('the budget for Failed machines', () => {
  test('is the deployment’s, and all its sets share it', () => {
    const machines = [
      machineOf(one, 'a', word('auto-preserved')),
      machineOf(two, 'b', word('auto-preserved')),
      machineOf(two, 'gone', { ...word('auto-preserved'), deletionTimestamp: at(1) }),
      machineOf(one, 'c'),
      machineOf(two, 'd'),
      { ...machineOf(one, 'well'), status: {} },
    ];
    expect(seen(machines)).toMatchObject({ most: 3, counted: ['a', 'b'], candidates: ['c', 'd'], wished: ['a', 'b'] });
  });

  test('is the set’s own without a deployment, or with another of that name', () => {
    expect(seen([], { deployments: [] }).most).toBe(1);
    expect(seen([], { deployments: [machineDeployment({ metadata: { uid: 'other' } })] }).most).toBe(1);
  });

  test('leaves out machines of which somebody has spoken, on their Node as well', () => {
    const machines = [
      machineOf(one, 'no', word('false')),
      machineOf(one, 'yes', word('when-failed')),
      machineOf(one, 'node'),
      machineOf(one, 'odd'),
    ];
    const nodes = [
      node({ metadata: { name: 'node', ...word('now') } }),
      node({ metadata: { name: 'odd', ...word('?') } }),
    ];
    expect(seen(machines, { nodes })).toMatchObject({ candidates: [], wished: ['node', 'yes'] });
  });
});

// hack/decisions/0051 U18, hack/decisions/0059
describe('machines that nobody controls', () => {
  const HASH = 'machine-template-hash';
  const lost = (name: string, labels: object) =>
    machineOf(one, name, { ownerReferences: [], labels: { pool: 'a', ...labels } });
  const machines = [lost('plain', {}), lost('hashed', { [HASH]: '7' })];
  const hashed = machineSet({
    metadata: { name: 'one', uid: 'uid-one', ...ofPool },
    spec: { selector: { matchLabels: { pool: 'a', [HASH]: '7' } } },
  });

  const adopted = machineSet({
    metadata: { name: 'one', uid: 'uid-one', ...ofPool },
    spec: { template: { metadata: { labels: { pool: 'a', [HASH]: '7' } } } },
  });

  test.each<[string, typeof one, string[]]>([
    ['a set of the deployment that selects by no hash takes none of another template', one, ['plain']],
    ['one whose template has a hash takes those of it, and those of none', adopted, ['hashed', 'plain']],
    ['one that selects by a hash takes those of it', hashed, ['hashed']],
    [
      'a set without a deployment takes whom it selects',
      machineSet({ metadata: { name: 'one', uid: 'uid-one' } }),
      ['hashed', 'plain'],
    ],
  ])('%s', (_what, set, names) => expect(seen(machines, { sets: [set, two] }).orphans).toEqual(names));
});
