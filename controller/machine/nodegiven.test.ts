import { describe, expect, test } from 'bun:test';
import type { Machine } from '../../schemas/machine.ts';
import { at, node } from '../../test/fixtures/objects.ts';
import type { Taint } from '../runtime/core.ts';
import { claimed } from './claiming.ts';
import { adopted, givenOf } from './nodegiven.ts';
import { asks, change, GIVEN, last, type Parts, seen, taint } from './nodesync.fixture.ts';
import { synced } from './nodesync.ts';
import { readyNode } from './view.fixture.ts';
import type { MachineView } from './view.ts';

/** hack/decisions/0028 T19: what stands on a Node and no kubelet may touch, no record takes off that a kubelet may write. */

const QUARANTINE: Taint = { key: 'quarantine', value: 'true', effect: 'NoExecute' };
const RESTRICTED = { 'node-restriction.kubernetes.io/quarantined': 'true', 'kops.k8s.io/instancegroup': 'x' };
const all = asks({ ...RESTRICTED, pool: 'a' }, {}, [QUARANTINE]);

/** What the Machine is to note, in short; undefined when it notes nothing. */
function noted(one: MachineView): string[] | undefined {
  const outcome = synced(one);
  if (outcome.kind !== 'act' || outcome.action.do !== 'annotate') return undefined;
  return namedIn(outcome.action.annotations ?? {});
}

function namedIn(annotations: Readonly<Record<string, string | null>>): string[] {
  const { labels, taints } = givenOf({ metadata: { annotations } } as Machine);
  return [...labels, ...taints.map(({ key, effect }) => `${key}:${effect}`)];
}

const NAMED = [...Object.keys(RESTRICTED), 'quarantine:NoExecute'];

describe('what only others may have put on a Node', () => {
  const theirs = { metadata: { labels: { ...RESTRICTED, pool: 'a' }, ...last(all) }, spec: { taints: [QUARANTINE] } };
  test('stays, whatever the record on the Node says; what its kubelet may take off itself goes', () => {
    expect(change(seen({ template: asks({}), given: undefined, node: theirs }))).toEqual({
      reason: 'SyncNode',
      labels: { pool: null },
      annotations: { 'node.machine.sapcloud.io/last-applied-anno-labels-taints': expect.any(String) },
    });
  });

  test('does not become the template’s by being asked for, and so stays when that drops it', () => {
    expect(noted(seen({ template: all, given: asks({}), node: theirs }))).toBeUndefined();
  });
});

describe('what a template puts on a Node is noted on the Machine', () => {
  const bare = { metadata: { labels: {} } };
  const full = { metadata: { labels: RESTRICTED, ...last(all) }, spec: { taints: [QUARANTINE] } };
  test.each<[string, Parts, string[] | undefined]>([
    ['before it is put there', { template: all, given: asks({}), node: bare }, NAMED],
    ['once', { template: all, node: bare }, undefined],
    ['as long as it is there', { template: asks({}), given: all, node: full }, undefined],
    ['as long as it is asked for', { template: all, given: all, node: bare }, undefined],
    ['until it is off', { template: asks({}), given: all, node: bare }, []],
    [
      'but not what is put on Nodes as things happen',
      { template: asks({}, {}, [taint('node.kubernetes.io/unreachable')]), given: asks({}), node: bare },
      undefined,
    ],
  ])('%s', (_what, parts, wanted) => {
    expect(noted(seen(parts))).toEqual(wanted);
  });

  test('and goes with it', () => {
    expect(change(seen({ template: asks({}), given: all, node: full }))).toMatchObject({
      labels: { 'node-restriction.kubernetes.io/quarantined': null, 'kops.k8s.io/instancegroup': null },
      taints: { add: [], remove: [{ key: 'quarantine', effect: 'NoExecute' }] },
    });
  });
});

const UNNAMED = { 'node.gardener.cloud/machine-name': undefined };
const NAMED_BY_MCM = { 'node.gardener.cloud/machine-name': 'm' };

// hack/decisions/0028 O27
describe('a Machine whose VM is confirmed', () => {
  const asking = (
    born: number,
    annotations: Record<string, string> = {},
    labels: Record<string, string | undefined> = UNNAMED,
  ) => {
    const object = node({ metadata: { creationTimestamp: at(born), labels } });
    const one = seen({ template: all, given: undefined }, { node: { ...readyNode, object } });
    one.machine.metadata.annotations = annotations;
    return one;
  };
  test.each<[string, MachineView, string[]]>([
    ['takes what its template asks for as what MCM has given', asking(1), NAMED],
    ['takes nothing on a Node that is older', asking(-301), []],
    ['takes it on an older one that MCM has given its name, moved since', asking(-301, {}, NAMED_BY_MCM), NAMED],
    ['keeps the record that a backup brought', asking(1, { [GIVEN]: '{}' }), []],
  ])('%s', (_what, one, wanted) => {
    expect(namedIn(adopted(one))).toEqual(wanted);
  });

  test('notes both at once', () => {
    const outcome = claimed(asking(1));
    if (outcome.kind !== 'act' || outcome.action.do !== 'annotate') throw new Error('nothing is noted');
    expect(namedIn(outcome.action.annotations ?? {})).toEqual(NAMED);
    expect(Object.keys(outcome.action.annotations ?? {})).toContain('protected.drover.dev/vm-confirmed');
  });
});

test.each(['{', '5', 'null', '{"spec":{"taints":[5]}}'])('a record %j says nothing', (text) => {
  expect(namedIn({ [GIVEN]: text })).toEqual([]);
});
