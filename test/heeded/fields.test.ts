import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unsupportedFields } from '../../controller/machine/flow/classresolution.ts';
import { type Field, fieldsOf } from '../../hack/generate/fields.ts';
import { clusterKind } from '../../schemas/cluster.ts';
import { kindSchema } from '../../schemas/crd.ts';
import type { Kind } from '../../schemas/kind.ts';
import { kinds } from '../../schemas/kinds.ts';
import { machineKind } from '../../schemas/machine.ts';
import { machineClassKind } from '../../schemas/machineclass.ts';
import { machineDeploymentKind } from '../../schemas/machinedeployment.ts';
import { machineDrainRuleKind } from '../../schemas/machinedrainrule.ts';
import { machineSetKind } from '../../schemas/machineset.ts';
import { drivenFields } from '../../schemas/rules/drivenfields.ts';
import { caseTables } from '../admission/cases.ts';
import { drivenAsked } from '../admission/drivenfields.ts';
import { drainRuleFields } from './drainrulefields.ts';
import { machineFields } from './machinefields.ts';
import { classFields, clusterFields } from './otherfields.ts';
import type { Heeded, HeededFields } from './row.ts';
import { deploymentFields, setFields } from './setfields.ts';

/**
 * hack/decisions/0051 C4: whatever a user may write is heeded by somebody, or refused with a sentence, or says itself that nobody
 * heeds it. A field that is new fails here until its row says which.
 */

const tables: ReadonlyArray<[Kind, HeededFields]> = [
  [machineClassKind, classFields],
  [machineKind, machineFields],
  [machineSetKind, setFields],
  [machineDeploymentKind, deploymentFields],
  [clusterKind, clusterFields],
  [machineDrainRuleKind, drainRuleFields],
];

/** Every field that a user may write, but for objects, of which the fields below count; templates hold a Machine's spec. */
function writableFields(kind: Kind): Field[] {
  const fields = fieldsOf(kindSchema(kind)).filter(({ path }) => !/^status\b|^spec\.template\.spec\./.test(path));
  return fields.filter(
    ({ path }) => !fields.some((other) => other.path.startsWith(`${path}.`) || other.path.startsWith(`${path}[].`)),
  );
}

const rowFor = (rows: HeededFields, path: string): string | undefined =>
  Object.keys(rows).find((row) => row === path || (row.endsWith('.**') && path.startsWith(row.slice(0, -2))));

test('there is a table for each kind', () => {
  expect(tables.map(([{ kind }]) => kind).toSorted()).toEqual(kinds.map(({ kind }) => kind).toSorted());
});

describe.each(tables.map(([kind, rows]) => [kind.kind, kind, rows] as const))('of a %s', (_name, kind, rows) => {
  const fields = writableFields(kind);

  test('each field has a row', () => {
    expect(fields.map(({ path }) => path).filter((path) => rowFor(rows, path) === undefined)).toEqual([]);
  });

  test('each row has a field', () => {
    const used = new Set(fields.map(({ path }) => rowFor(rows, path)));
    expect(Object.keys(rows).filter((row) => !used.has(row))).toEqual([]);
  });

  test.each(Object.entries(rows))('%s', (row, heeded) => {
    judge(heeded, sentencesOn(kind, row));
  });
});

/** What kubectl explain says of a field, and of what it is part of. */
function sentencesOn(kind: Kind, row: string): string {
  const path = row.replace(/\.\*\*$/, '');
  const all = fieldsOf(kindSchema(kind));
  return all.flatMap((one) => (path === one.path || path.startsWith(`${one.path}.`) ? [one.sentence] : [])).join(' ');
}

function judge(heeded: Heeded, sentences: string): void {
  if (typeof heeded === 'function') {
    const [without, withIt] = heeded();
    expect(withIt).not.toEqual(without as never);
  } else if ('driven' in heeded) heeded.driven.forEach(assertRefused);
  else if ('unheeded' in heeded) expect(sentences).toContain(heeded.unheeded);
  else {
    const { file, title } = heeded;
    const text = readFileSync(join(import.meta.dir, '../..', file), 'utf8');
    expect([title, text.includes(`'${title}'`)]).toEqual([title, true]);
  }
}

/** A driver that cannot has it refused, and told of where it was not; one that can has it let through, unless none can. */
function assertRefused(id: string): void {
  const row = drivenFields.find((one) => one.id === id);
  const asked = drivenAsked[id] ?? {};
  expect(row?.asks(asked)).toBeTrue();
  expect(unsupportedFields(asked, { capabilities: [] })).toContain(row?.message ?? id);
  if (row?.needs) expect(unsupportedFields(asked, { capabilities: [row.needs] })).toBeUndefined();
  const cases = caseTables.flatMap((table) => table.cases);
  expect(cases.some(({ refused }) => refused.includes(id))).toBeTrue();
}

test('each field that only some drivers heed has its row', () => {
  const ids = Object.values(machineFields).flatMap((one) => ('driven' in one ? one.driven : []));
  expect(ids.toSorted()).toEqual(drivenFields.map(({ id }) => id).toSorted());
});
