import { describe, expect, test } from 'bun:test';
import * as v from 'valibot';
import { machineSpecEntries } from '../../schemas/machinespec.ts';
import { fixedFields } from '../../schemas/templateidentity.ts';
import { templateHash } from '../machinedeployment/flow/revision.ts';
import { settingsOf } from './template.ts';

const hashOf = (spec: object): string => templateHash({ metadata: {}, spec }, undefined);

describe('whether a change of a template needs new machines', () => {
  // hack/decisions/0051 S11, C1: each of these but versions replaced the herd.
  test.each([
    ['taints', [{ key: 'a', effect: 'NoSchedule' }], false],
    ['deletionPolicy', 'Retain', false],
    ['powerState', 'PoweredOff', false],
    ['powerOffMode', 'Hard', false],
    ['suspendMode', 'Hard', false],
    ['restartMode', 'Hard', false],
    ['promoteDisksMode', 'Online', false],
    ['nextRestartTime', '2030-01-01T00:00:00Z', false],
    ['drainTimeout', '1h', false],
    ['versions', { kubelet: '1.30' }, true],
    ['image', { ref: 'debian' }, true],
    ['network', { disabled: true }, true],
    ['providerID', 'virtual:///a', true],
  ])('%s', (field, value, rolls) => expect(hashOf({ [field]: value }) !== hashOf({})).toBe(rolls));

  test('every field is either live, or a reason for a new machine', () => {
    const spec = Object.fromEntries(Object.keys(machineSpecEntries).map((field) => [field, 'x']));
    expect(Object.keys(fixedFields(spec as never)).sort()).toEqual([
      'class',
      'image',
      'network',
      'provider',
      'providerID',
      'providerSpec',
      'versions',
    ]);
  });
});

test('a setting that is left out is what the API server makes of it', () => {
  const served = (field: string) => {
    const entry = machineSpecEntries[field as keyof typeof machineSpecEntries] as { wrapped: v.GenericSchema };
    return v.getMetadata(entry.wrapped)['default'];
  };
  for (const [field, value] of Object.entries(settingsOf({})))
    expect<unknown>([field, value]).toEqual([field, served(field)]);
});
