import { describe, expect, test } from 'bun:test';
import { BORN, inPhase, machine, node } from '../../../test/fixtures/objects.ts';
import { objectPatch } from '../../nodes/change.ts';
import type { Node, Taint } from '../../runtime/k8s/core.ts';
import { plan } from './flow.ts';
import { asks, change, last, type Parts, seen, taint, taintsAfter } from './nodesync.fixture.ts';
import { startupTaintRemoved } from './nodesync.ts';
import { readyNode, recorded } from './view.fixture.ts';
import type { MachineView } from './view.ts';

const STARTING = taint('starting');

describe('taints of a Node (hack/spec/cluster-api.md A1.12 L7)', () => {
  const theirs = taint('their/taint');
  const done = (taints: Taint[], record: unknown) => ({ metadata: last(record), spec: { taints } });
  const template = asks({}, {}, [taint('a', '1')]);
  type Row = [what: string, parts: Parts, after: Taint[] | undefined];
  const rows: Row[] = [
    [
      'get what the template asks for, beside those of others (hack/spec/mcm.md 6.9)',
      { template, node: { spec: { taints: [theirs] } } },
      [theirs, taint('a', '1')],
    ],
    [
      'get the value that the template asks for',
      { template, node: done([taint('a', '2'), theirs], template) },
      [theirs, taint('a', '1')],
    ],
    [
      'lose what left the template',
      { template: asks({}), given: template, node: done([taint('a', '1'), theirs], template) },
      [theirs],
    ],
    [
      'keep what the Node’s record alone names, which its kubelet may write (hack/decisions/0028 T19)',
      {
        template: asks({}),
        given: undefined,
        node: done([taint('a', '1'), theirs], asks({}, {}, [theirs, taint('a')])),
      },
      undefined,
    ],
    [
      'lose what left the template, whatever the Node’s record says',
      { template: asks({}), given: template, node: { spec: { taints: [taint('a', '1'), theirs] } } },
      [theirs],
    ],
    ['that are as asked are left alone', { template, node: done([theirs, taint('a', '1')], template) }, undefined],
    [
      'keep one of two of a key and an effect',
      { template: asks({}, {}, [taint('a', '1'), taint('a', '2')]), node: {} },
      [taint('a', '2')],
    ],
    [
      'get back the additive ones (hack/decisions/0000 2)',
      { taints: [taint('b')], node: { spec: { taints: [theirs] } } },
      [theirs, taint('b')],
    ],
    [
      'keep the value of an additive one',
      { taints: [taint('b', '1')], node: { spec: { taints: [taint('b', '2')] } } },
      undefined,
    ],
    ['keep the additive ones that leave the spec', { taints: [], node: { spec: { taints: [taint('b')] } } }, undefined],
    [
      'keep what leaves the template and stays in the spec',
      { template: asks({}), taints: [taint('a', '1')], node: done([taint('a', '1')], template) },
      undefined,
    ],
    [
      'do not get those that Kubernetes writes as things happen, and keep them',
      {
        template: asks({}, {}, [taint('node.kubernetes.io/unreachable'), STARTING]),
        taints: [taint('node.kubernetes.io/not-ready')],
        node: done(
          [taint('node.kubernetes.io/memory-pressure')],
          asks({}, {}, [taint('node.kubernetes.io/memory-pressure')]),
        ),
      },
      undefined,
    ],
  ];
  test.each(rows)('%s', (_what, parts, after) => {
    expect(taintsAfter(seen(parts))).toEqual(after);
  });

  test('are written for the version that was seen only', () => {
    const one = seen({ template });
    const patch = one.node.at === 'present' && objectPatch(one.node.object, change(one) ?? {});
    expect(patch).toMatchObject({ metadata: { uid: 'uid-node', resourceVersion: '1' } });
  });
});

describe('the start-up taint', () => {
  const tainted: Node = node({ spec: { taints: [STARTING, taint('a')] } });
  const fresh = (facts: Partial<MachineView> = {}) =>
    seen({}, { machine: machine(recorded), node: { ...readyNode, object: tainted }, ...facts });

  test('goes in one write with all else that the Node lacks', () => {
    const one = fresh({
      node: { ...readyNode, object: { ...tainted, metadata: { ...tainted.metadata, labels: {} } } },
    });
    expect(taintsAfter(one)).toEqual([taint('a')]);
    expect(change(one)?.labels).toEqual({ 'node.gardener.cloud/machine-name': 'm' });
  });

  test('is given to no Node by who asks for it', () => {
    const asking = seen({ template: asks({}, {}, [taint('boot')]), taints: [taint('boot')] });
    expect(taintsAfter({ ...asking, startupTaint: taint('boot') })).toBeUndefined();
    expect(taintsAfter(asking)).toEqual([taint('boot')]);
  });

  type Row = [what: string, facts: Partial<MachineView>, taken: boolean];
  const rows: Row[] = [
    ['of a Machine that is to run', {}, true],
    ['of a Node that is not ready', { node: { ...readyNode, ready: false, object: tainted } }, false],
    [
      'of a Node that waits for critical components',
      { node: { ...readyNode, critical: true, object: tainted } },
      false,
    ],
    ['of a Machine that recovers', { machine: inPhase('Unknown', 0, recorded) }, true],
    [
      'that somebody put on a Node that runs',
      { machine: inPhase('Running', 0, { ...recorded, status: { nodeRef: { name: 'm', uid: 'uid-node' } } } as never) },
      false,
    ],
    [
      'of a Node that registered anew before anybody saw it gone',
      { machine: inPhase('Running', 0, { ...recorded, status: { nodeRef: { name: 'm', uid: 'uid-old' } } } as never) },
      true,
    ],
    ['when there is none', { startupTaint: undefined }, false],
  ];
  test.each(rows)('%s', (_what, facts, taken) => {
    expect(taintsAfter(fresh(facts))).toEqual(taken ? [taint('a')] : undefined);
  });

  test('is off before the Machine is Running, also where the rest is refused', () => {
    const refusal = { message: 'no', retryAt: BORN + 600_000 };
    const refused = new Map(['NodeSynced', 'NodeSynced/changeNode'].map((key) => [key, refusal]));
    const one = fresh({ refused });
    expect(plan(one)).toMatchObject({ step: 'StartupTaintRemoved', outcome: { reason: 'RemoveStartupTaint' } });
    expect(change(one, startupTaintRemoved)).toEqual({ reason: 'RemoveStartupTaint', taints: { remove: [STARTING] } });
  });
});
