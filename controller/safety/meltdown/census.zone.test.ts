import { describe, expect, test } from 'bun:test';
import { machine, machineClass, node } from '../../../test/fixtures/objects.ts';
import { oneTarget } from '../../model/target.fixture.ts';
import type { Target } from '../../model/target.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import { Cache } from '../../runtime/watch/cache.ts';
import { placeOf } from './census.ts';

const PRESENT = 'topology.kubernetes.io/zone';
const FORMER = 'failure-domain.beta.kubernetes.io/zone';
const nodeTemplate = { capacity: {}, instanceType: 'small', region: 'r', zone: 'of-class' };
const told = { status: { zone: 'b' } };
const asking = { spec: { nodeTemplate: { metadata: { labels: { [PRESENT]: 'asked' } } } } };

function placed(changes: object, labels: Record<string, string> | undefined, of: object = { nodeTemplate }) {
  const nodes = new Cache<Node>();
  if (labels) nodes.put(node({ metadata: { labels } }));
  const classes = new Map([['herd/small', machineClass(of)]]);
  const one = machine({ metadata: { labels: { node: 'm' } }, ...changes });
  return placeOf({ targets: oneTarget({ nodes } as unknown as Target), classes }, one);
}

describe('the zone of a machine is', () => {
  test.each([
    ['what its Node says', {}, { [PRESENT]: 'a', [FORMER]: 'b' }, 'a'],
    ['what its Node says with the label of before', {}, { [FORMER]: 'b' }, 'b'],
    ['what its Node says, whatever it asks', asking, { [PRESENT]: 'a' }, 'a'],
    // hack/decisions/0051 L96
    ['what its Node said last, if that is gone', { ...asking, ...told }, undefined, 'b'],
    ['what its Node says, whatever it said before', told, { [PRESENT]: 'a' }, 'a'],
    ['what it asks, if its Node does not say', asking, {}, 'asked'],
    ['what its class says, if its Node does not say', {}, {}, 'of-class'],
    ['what its class says, if it has no Node', {}, undefined, 'of-class'],
  ])('%s', (_what, changes, labels, zone) => expect(placed(changes, labels)).toEqual({ cluster: '', zone }));

  // hack/decisions/0028 T26
  test.each(['z'.repeat(64), 'no zone'])('none, if it is no value of a label: %s', (zone) => {
    expect(placed({}, { [PRESENT]: zone }).zone).toBe('');
    expect(placed({}, {}, { nodeTemplate: { ...nodeTemplate, zone } }).zone).toBe('');
    expect(placed({ status: { zone } }, undefined).zone).toBe('');
  });

  test('none, if nobody says', () => expect(placed({}, {}, {}).zone).toBe(''));
});

test('the cluster of a machine is the one that its label names', () => {
  const labelled = { metadata: { labels: { 'cluster.k8s.io/cluster-name': 'east' } } };
  expect(placed(labelled, undefined).cluster).toBe('herd/east');
});
