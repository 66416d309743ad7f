import { describe, expect, test } from 'bun:test';
import type { Machine } from '../../../schemas/machine.ts';
import { at, node } from '../../../test/fixtures/objects.ts';
import type { Taint } from '../../runtime/k8s/core.ts';
import { vmClaimed } from './claim.ts';
import { awaited, givenOf } from './nodegiven.ts';
import { asks, change, GIVEN, last, type Parts, seen, taint } from './nodesync.fixture.ts';
import { nodeSynced } from './nodesync.ts';
import { readyNode } from './view.fixture.ts';
import { type MachineView, writeKey } from './view.ts';

/** hack/decisions/0028 T19: what stands on a Node and no kubelet may touch, no record takes off that a kubelet may write. */

const QUARANTINE: Taint = { key: 'quarantine', value: 'true', effect: 'NoExecute' };
const RESTRICTED = { 'node-restriction.kubernetes.io/quarantined': 'true', 'kops.k8s.io/instancegroup': 'x' };
const all = asks({ ...RESTRICTED, pool: 'a' }, {}, [QUARANTINE]);

/** What the Machine is to note, in short; undefined when it notes nothing. */
function noted(one: MachineView): string[] | undefined {
  const outcome = nodeSynced(one);
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

  // hack/decisions/0051 L89
  test('and is not put there while that cannot be noted', () => {
    const note = { do: 'annotate', annotations: {} } as const;
    const refused = new Map([[writeKey('NodeSynced', note), { message: 'no', retryAt: Infinity }]]);
    expect(nodeSynced(seen({ template: all, given: asks({}), node: bare }, { refused })).kind).toBe('pass');
  });

  test('and goes with it', () => {
    expect(change(seen({ template: asks({}), given: all, node: full }))).toMatchObject({
      labels: { 'node-restriction.kubernetes.io/quarantined': null, 'kops.k8s.io/instancegroup': null },
      taints: { add: [], remove: [{ key: 'quarantine', effect: 'NoExecute' }] },
    });
  });
});

const UNNAMED = { 'node.gardener.cloud/machine-name': undefined };
const BY_WEBHOOK = { 'drover.dev/created-by': 'mallory' };

// hack/decisions/0028 T23
describe('what a template asks for when the VM is confirmed', () => {
  const confirming = (changes: { providerID?: string | undefined; record?: string } = {}) => {
    const one = seen({ template: all, given: undefined });
    one.machine.metadata.annotations = changes.record === undefined ? {} : { [GIVEN]: changes.record };
    if ('providerID' in changes) one.machine.spec = { ...one.machine.spec, providerID: undefined };
    return one;
  };
  const text = JSON.stringify({
    metadata: { labels: Object.fromEntries(Object.keys(RESTRICTED).map((key) => [key, ''])) },
    spec: { taints: [{ key: 'quarantine', effect: 'NoExecute' }] },
  });
  test.each<[string, MachineView, Record<string, string>]>([
    [
      'is noted as awaited, of a VM that was made',
      confirming({ providerID: undefined }),
      { [GIVEN]: `{"made":${text}}` },
    ],
    ['is noted as awaited, of one that it named', confirming(), { [GIVEN]: `{"found":${text}}` }],
    ['is not noted over what a backup brought', confirming({ record: '{}' }), {}],
  ])('%s', (_what, one, wanted) => expect(awaited(one)).toEqual(wanted));

  test('counts for nothing before the Node is seen, and is noted in one write', () => {
    const outcome = vmClaimed(confirming());
    if (outcome.kind !== 'act' || outcome.action.do !== 'annotate') throw new Error('nothing is noted');
    expect(namedIn(outcome.action.annotations ?? {})).toEqual([]);
    expect(Object.keys(outcome.action.annotations ?? {}).sort()).toEqual([GIVEN, 'protected.drover.dev/vm-confirmed']);
  });

  const meeting = (how: 'made' | 'found', born: number, { labels = {}, annotations = {} } = {}) => {
    const object = node({ metadata: { creationTimestamp: at(born), labels: { ...RESTRICTED, ...labels } } });
    object.spec = { ...object.spec, taints: [QUARANTINE] };
    const one = seen({ template: all, given: undefined }, { node: { ...readyNode, object } });
    one.machine.metadata.annotations = { ...annotations, [GIVEN]: `{"${how}":${text}}` };
    return one;
  };
  test.each<[string, MachineView, string[]]>([
    [
      'counts on the Node of a VM that was made',
      meeting('made', 1, { labels: UNNAMED, annotations: BY_WEBHOOK }),
      NAMED,
    ],
    ['counts on one that MCM has named', meeting('found', 1), NAMED],
    ['counts for nothing on a Node that is older', meeting('made', -1), []],
    ['counts for nothing on an older one, whoever has named it', meeting('found', -1), []],
    ['counts for nothing on one that nobody has named', meeting('found', 1, { labels: UNNAMED }), []],
    ['counts for nothing if MCM did not make the Machine', meeting('found', 1, { annotations: BY_WEBHOOK }), []],
  ])('%s', (_what, one, wanted) => expect(noted(one)).toEqual(wanted));
});

test.each(['{', '5', 'null', '{"spec":{"taints":[5]}}', '{"found":5}'])('a record %j says nothing', (text) => {
  expect(namedIn({ [GIVEN]: text })).toEqual([]);
});
