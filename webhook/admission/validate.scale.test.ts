import { describe, expect, test } from 'bun:test';
import { FakeClock } from '../../controller/runtime/clock.fake.ts';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { FakeLog } from '../../controller/runtime/observability/log.fake.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import { lookUpIn, NAMESPACE } from '../../test/admission/facts.ts';
import { reviewOf } from '../../test/admission/review.ts';
import { tables } from '../rules/kinds/registry.ts';
import type { Templated } from '../rules/places.ts';
import { createLookUp, makeCaches } from './lookup.ts';
import { type AdmissionRequest, readReview } from './review.ts';
import type { Rule } from './rule.ts';
import { createValidate } from './validate.ts';

const scale = (replicas?: number): KubeObject & { spec: object } => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'herd' },
  spec: replicas === undefined ? {} : { replicas },
});

const stored = (kind: string) =>
  ({
    apiVersion,
    kind,
    metadata: { name: 'herd', annotations: { 'example.io/most': '5', 'protected.drover.dev/a': 'b' } },
    spec: { replicas: 9, selector: {} },
  }) as KubeObject;

/** Looks at the replicas, and at an annotation that a Scale does not have. */
const atMost: Rule<Templated> = {
  id: 'at-most',
  on: ['update'],
  field: 'spec.replicas',
  message: 'must not exceed what is written on it',
  validate: ({ metadata, spec }) =>
    (spec.replicas ?? 0) > Number(metadata.annotations?.['example.io/most'] ?? 10) ? [{}] : [],
};

const elsewhere: Rule<Templated> = { ...atMost, id: 'elsewhere', field: 'spec.selector', validate: () => [{}] };

const ruled = tables.map((table) => ({ ...table, rules: table.kind.scale ? [atMost, elsewhere] : [] }));

function requestTo(resource: string, now = scale(6), before = scale(3)): AdmissionRequest {
  const review = readReview(JSON.stringify(reviewOf({ now, before, resource, subResource: 'scale' })));
  if (!('request' in review)) throw new Error(review.unfit);
  return review.request;
}

async function findings(request: AdmissionRequest, lookUp = lookUpIn()): Promise<string[]> {
  const permission = async () => false;
  const validate = createValidate({ tables: ruled as typeof tables, permission, lookUp, retryDelay: async () => {} });
  return (await validate(request)).map(({ rule, field }) => `${rule} ${field}`);
}

describe('a scale is judged as a write to the object behind it', () => {
  test.each([
    ['machinesets', 'MachineSet'],
    ['machinedeployments', 'MachineDeployment'],
  ])('of %s', async (resource, kind) => {
    expect(await findings(requestTo(resource), lookUpIn([stored(kind)]))).toEqual(['at-most spec.replicas']);
    expect(await findings(requestTo(resource, scale(5)), lookUpIn([stored(kind)]))).toEqual([]);
  });

  test('only if the number changes, whatever it is', async () => {
    const request = requestTo('machinesets', scale(6), scale(6));
    expect(await findings(request, lookUpIn([stored('MachineSet')]))).toEqual([]);
  });

  test('without a number as one to 0', async () => {
    const request = requestTo('machinesets', scale(), scale(6));
    expect(await findings(request, lookUpIn([stored('MachineSet')]))).toEqual([]);
  });

  test('of another namespace or name it is not', async () => {
    const other = { ...stored('MachineSet'), metadata: { name: 'flock' } };
    expect(await findings(requestTo('machinesets', scale(11)), lookUpIn([other]))).toEqual(['at-most spec.replicas']);
  });

  test('of which nothing is known yet, by its number alone', async () => {
    const caches = makeCaches(new FakeLog());
    const lookUp = createLookUp({ caches, providers: new Map(), clock: new FakeClock() });
    expect(() => lookUp(NAMESPACE).templated('MachineSet', 'herd')).toThrow('has not been read yet');
    expect(await findings(requestTo('machinesets', scale(10)), lookUp)).toEqual([]);
    expect(await findings(requestTo('machinesets', scale(11)), lookUp)).toEqual(['at-most spec.replicas']);
  });
});

test('a scale of something else is none of our business', async () => {
  expect(await findings(requestTo('deployments', scale(11)))).toEqual([]);
});
