import { describe, expect, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { clusterNamed, leavingCluster, machineIn } from '../../test/admission/among.ts';
import { lookUpIn, smallClass } from '../../test/admission/facts.ts';
import { reviewOf } from '../../test/admission/review.ts';
import { tables } from '../rules/kinds/registry.ts';
import type { LookUp } from './context.ts';
import { readReview } from './review.ts';
import { createValidate } from './validate.ts';

const asked = (now: KubeObject, more: object = {}) => {
  const review = reviewOf({ now });
  const read = readReview(JSON.stringify({ ...review, request: { ...review.request, ...more } }));
  if ('unfit' in read) throw new Error(read.unfit);
  return read.request;
};

describe('a Cluster that is not seen when its machine is made', () => {
  /** What was found, and how often a moment was waited for, in which the Cluster may come. */
  async function judged({ comes, ...more }: { comes: boolean; dryRun?: boolean }) {
    let [now, moments] = [lookUpIn([smallClass]), 0];
    const later = lookUpIn([smallClass, clusterNamed('west')]);
    const lookUp: LookUp = (namespace) => ({ ...now(namespace), cluster: (name) => now(namespace).cluster(name) });
    const retryDelay = async () => {
      moments += 1;
      if (comes) now = later;
    };
    const validate = createValidate({ tables, permission: async () => true, lookUp, retryDelay });
    const findings = await validate(asked(machineIn('one', 'west'), more));
    return { findings: findings.map(({ rule, level }) => [rule, level]), moments };
  }

  test.each<[string, { comes: boolean; dryRun?: boolean }, string[][], number]>([
    ['a moment later it is there: the machine is taken', { comes: true }, [], 1],
    ['it is still not there: the machine is refused', { comes: false }, [['cluster-there', 'deny']], 1],
    ['a dry run is only warned, and at once', { comes: true, dryRun: true }, [['cluster-there', 'warn']], 0],
  ])('%s', async (_what, how, findings, moments) => {
    expect(await judged(how)).toEqual({ findings, moments });
  });
});

describe('a deletion', () => {
  const validate = createValidate({
    tables,
    permission: async () => false,
    lookUp: lookUpIn([machineIn('one', 'west')]),
    retryDelay: async () => {},
  });
  const deleting = (oldObject: KubeObject, more: object = {}) =>
    validate(asked(oldObject, { operation: 'DELETE', object: null, oldObject, ...more }));
  const shielded = clusterNamed('west');
  shielded.spec.deletionProtection = true;

  test('is told how the protection is ended', async () => {
    const placed = { ...shielded, metadata: { name: 'west', namespace: 'default' } };
    const [finding] = await deleting(placed);
    expect(finding?.message).toContain('kubectl patch dcl west -n default --type=merge');
  });

  test.each<[string, KubeObject, object]>([
    ['goes on when it has begun', { ...leavingCluster('west'), spec: shielded.spec } as KubeObject, {}],
    ['of what no rule is about', machineIn('one', 'west'), {}],
    ['of a part of an object', shielded, { subResource: 'status' }],
    ['without an object', shielded, { oldObject: null }],
  ])('%s', async (_what, object, more) => {
    expect(await deleting(object, more)).toEqual([]);
  });
});
