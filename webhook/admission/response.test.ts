import { expect, test } from 'bun:test';
import { answerFindings } from './response.ts';
import type { AdmissionRequest } from './review.ts';
import type { Finding } from './rule.ts';

const request = {
  kind: { group: 'machine.sapcloud.io', version: 'v1alpha1', kind: 'Machine' },
  name: '',
  object: { metadata: { generateName: 'one-' } },
} as unknown as AdmissionRequest;

const finding = (more: Partial<Finding> = {}): Finding => ({
  rule: 'one',
  level: 'deny',
  field: 'spec.a',
  reason: 'FieldValueInvalid',
  message: 'is wrong',
  ...more,
});

test('warnings are passed on and refuse nothing', () => {
  expect(answerFindings(request, [finding({ level: 'warn' })])).toEqual({
    allowed: true,
    warnings: ['spec.a: is wrong'],
  });
});

test('all that refuse are told at once, and the rules are named once each', () => {
  const findings = [
    finding(),
    finding({ field: 'spec.b' }),
    finding({ rule: 'two', level: 'warn' }),
    finding({ rule: 'three' }),
  ];
  expect(answerFindings(request, findings)).toEqual({
    allowed: false,
    status: {
      code: 422,
      reason: 'Invalid',
      message: 'spec.a: is wrong; spec.b: is wrong; spec.a: is wrong',
      details: {
        group: 'machine.sapcloud.io',
        kind: 'Machine',
        name: 'one-',
        causes: [
          { reason: 'FieldValueInvalid', field: 'spec.a', message: 'is wrong' },
          { reason: 'FieldValueInvalid', field: 'spec.b', message: 'is wrong' },
          { reason: 'FieldValueInvalid', field: 'spec.a', message: 'is wrong' },
        ],
      },
    },
    auditAnnotations: { 'refused-by': 'one,three' },
    warnings: ['spec.a: is wrong'],
  });
});

test('of thousands of findings a hundred are told, and how many there are', () => {
  const findings = Array.from({ length: 5_000 }, (_, at) => finding({ field: `spec.list[${at}]` }));
  const { status } = answerFindings(request, findings);
  expect(status?.details?.causes.length).toBe(100);
  expect(status?.message).toEndWith('; spec.list[99]: is wrong; and 4900 more');
});
