import { describe, expect, test } from 'bun:test';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { OPERATOR, webhookApp } from '../../test/admission/app.ts';
import { type AdmissionCase, operationOf } from '../../test/admission/case.ts';
import { caseTables } from '../../test/admission/cases.ts';
import { lookUpIn } from '../../test/admission/facts.ts';
import { type Asked, answerTo } from '../../test/admission/review.ts';
import { tables } from '../rules/kinds/registry.ts';
import { parsePath, valueAt } from './fieldpath.ts';
import { protectedKeys, rowsIn, touchedIn } from './protectedkeys.ts';
import type { Answer } from './response.ts';
import { type Rule, readsOf } from './rule.ts';

for (const { kind, cases } of caseTables) {
  describe(`a ${kind.kind} is judged by its rules`, () => {
    test.each(cases.map((row) => [`on ${operationOf(row)}`, row.what, row] as const))(
      '%s: %s',
      async (_on, _what, { now, before, deleted, as, refused, warned = [], among }) => {
        const { app, found } = webhookApp(undefined, lookUpIn(among));
        const user = as === 'operator' ? { user: OPERATOR } : {};
        const asked: Asked = deleted
          ? { before: now, now: null, operation: 'DELETE' }
          : { now, ...(before ? { before } : {}) };
        const answer = await answerTo(app, '/validate', { ...asked, ...user });
        expect(answer.allowed).toBe(refused.length === 0);
        expect(found.filter(({ level }) => level === 'deny').map(({ rule }) => rule)).toEqual([...refused]);
        expect(found.filter(({ level }) => level === 'warn').map(({ rule }) => rule)).toEqual([...warned]);
        expect(answer.status?.details?.causes.length ?? 0).toBe(refused.length);
        expect(answer.warnings?.length ?? 0).toBe(warned.length);
        expect(answer.auditAnnotations?.['refused-by']).toBe(
          refused.length ? [...new Set(refused)].join(',') : undefined,
        );
        expect(namesToldOf(among ?? [], asked, answer)).toEqual([]);
      },
    );
  });
}

/** hack/decisions/0028 W6: names of other objects in what the author is told, who may not be allowed to list them. */
function namesToldOf(among: readonly KubeObject[], asked: Asked, { status, warnings = [] }: Answer): string[] {
  const known = JSON.stringify(asked);
  const told = new Set(`${status?.message ?? ''} ${warnings.join(' ')}`.split(/[^-.a-z0-9]/));
  return among.map(({ metadata }) => metadata.name).filter((name) => told.has(name) && !known.includes(name));
}

describe('the cases are complete', () => {
  for (const { kind, rules, guarded, claims = [], held } of tables) {
    const cases = caseTables.find((table) => table.kind === kind)?.cases ?? [];

    test.each(rules.map((rule) => [rule.id, rule] as const))(
      `${kind.kind}: %s is broken by one and passed by another`,
      (id, rule) => {
        expect(cases.some((row) => speaks(id, row))).toBe(true);
        expect(cases.some((row) => !speaks(id, row) && isJudged(rule, row))).toBe(true);
      },
    );

    const counting = protectedKeys.filter((row) => guarded.some((place) => rowsIn(place).includes(row)));
    test.each(counting.map((row) => [row.id, row] as const))(
      `${kind.kind}: %s is refused to one and granted to another`,
      (id, key) => {
        const touching = cases.filter(({ now, before }) =>
          touchedIn(guarded)(now, before).some(({ row }) => row === key),
        );
        expect(touching.some(({ refused }) => refused.includes(id))).toBe(true);
        expect(touching.some(({ as, refused }) => as === 'operator' && !refused.includes(id))).toBe(true);
      },
    );

    const finalizers = held ? [held] : [];
    const lasting = [...counting, ...claims, ...finalizers, ...rules.filter(({ always }) => always)];
    test.each(lasting.map(({ id }) => [id]))(`${kind.kind}: %s is refused on an object that leaves, too`, (id) => {
      const leaving = cases.filter(({ before }) => before?.metadata.deletionTimestamp);
      expect(leaving.some(({ refused }) => refused.includes(id))).toBe(true);
    });

    test.each(claims.map((row) => [row.id, row] as const))(
      `${kind.kind}: %s is free on creation, refused later to one and granted to another`,
      (id, row) => {
        const touching = cases.filter(({ now, before }) => touchedIn([], { claims: [row] })(now, before).length > 0);
        expect(touching.some(({ refused }) => refused.includes(id))).toBe(true);
        expect(touching.some(({ as, refused }) => as === 'operator' && !refused.includes(id))).toBe(true);
        const set = cases.filter(({ now, before }) => !before && valueAt(now, parsePath(row.field)));
        expect(set.some(({ refused }) => !refused.includes(id))).toBe(true);
      },
    );
  }
});

const speaks = (id: string, { refused, warned = [] }: AdmissionCase): boolean => [...refused, ...warned].includes(id);

function isJudged(rule: Rule<never>, { now, before, deleted }: AdmissionCase): boolean {
  if (deleted) return rule.on.includes('delete');
  if (!before) return rule.on.includes('create');
  const fields = readsOf(rule).map(parsePath);
  return (
    rule.on.includes('update') && fields.some((field) => !Bun.deepEquals(valueAt(now, field), valueAt(before, field)))
  );
}
