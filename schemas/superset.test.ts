import { describe, expect, test } from 'bun:test';
import * as v from 'valibot';
import { kindSchema } from './crd.ts';
import { optional, served } from './field.ts';
import { kinds } from './kinds.ts';
import type { Structural } from './structural.ts';
import { supersetOf } from './superset.ts';

const machineSpec =
  'class providerID nodeTemplate drainTimeout healthTimeout creationTimeout inPlaceUpdateTimeout machinePreserveTimeout disableHealthTimeout maxEvictRetries nodeConditions';

/** What MCM's own types have (hack/spec/mcm.md 1.1 to 1.4), by where it stands. */
const mcm: Record<string, Record<string, string>> = {
  MachineClass: { '': 'provider providerSpec secretRef credentialsSecretRef nodeTemplate' },
  Machine: {
    spec: machineSpec,
    status: 'addresses conditions lastOperation currentStatus lastKnownState',
  },
  MachineSet: {
    spec: 'replicas selector machineClass template minReadySeconds autoPreserveFailedMachineMax',
    'spec.template.spec': machineSpec,
    status:
      'replicas fullyLabeledReplicas readyReplicas availableReplicas preservedFailedReplicas autoPreserveFailedMachineCount observedGeneration machineSetCondition lastOperation failedMachines',
  },
  MachineDeployment: {
    spec: 'replicas selector template strategy minReadySeconds revisionHistoryLimit paused rollbackTo progressDeadlineSeconds autoPreserveFailedMachineMax',
    'spec.template.spec': machineSpec,
    status:
      'observedGeneration replicas updatedReplicas readyReplicas availableReplicas preservedFailedReplicas unavailableReplicas collisionCount conditions failedMachines',
  },
};

describe('a field is either one that MCM knows or one of the superset', () => {
  const rows = kinds.flatMap((kind) =>
    Object.entries(mcm[kind.kind] ?? {}).map(([at, known]) => [kind.kind, at, known.split(' '), kind] as const),
  );
  test.each(rows)('%s.%s', (_kind, at, known, kind) => {
    const ours = kind.superset
      .filter(({ field }) => field.replace(/\.?[^.]+$/, '') === at)
      .map(({ field }) => field.replace(/.*\./, ''));
    expect(fieldsIn(kindSchema(kind), at).sort()).toEqual([...known, ...ours].sort());
  });
});

function fieldsIn(schema: Structural, at: string): string[] {
  const found = at.split('.').reduce((part, name) => (name ? (part.properties?.[name] ?? {}) : part), schema);
  const notOurs = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];
  return Object.keys(found.properties ?? {}).filter((name) => at !== '' || !notOurs.includes(name));
}

test('a field that the API server fills in says with what', () => {
  const entries = {
    plain: optional(v.string(), 'A field.'),
    filled: served(v.string(), 'x', 'A field that is filled in.'),
    typed: v.optional(v.string(), 'y'),
    needed: v.string(),
  };
  expect(supersetOf('spec', entries)).toEqual([
    { field: 'spec.plain', fallback: undefined },
    { field: 'spec.filled', fallback: 'x' },
    { field: 'spec.typed', fallback: 'y' },
    { field: 'spec.needed', fallback: undefined },
  ]);
});
