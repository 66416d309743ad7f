import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type AdmissionCase, operationOf } from '../admission/case.ts';
import { caseTables } from '../admission/cases.ts';
import { expectGolden } from '../golden.ts';
import { Admitted, namespaceOf } from './support/admissioncases.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import type { Said } from './support/response.ts';
import { startRegistered, type WebhookProcess } from './support/webhookprocess.ts';

/** The cases of the rules once more, through a real API server: what it says is what a user reads. */

const tables = caseTables.map(({ kind, cases }) => ({ kind, cases: cases.filter(({ madeUp }) => !madeUp) }));

let cluster: OwnCluster;
let webhook: WebhookProcess;
let admitted: Admitted;

beforeAll(async () => {
  cluster = await ownControlPlane();
  admitted = await Admitted.before(cluster, tables);
  webhook = await startRegistered(cluster);
}, 120_000);

afterAll(async () => {
  await webhook?.stop();
  await cluster?.end();
});

for (const { kind, cases } of tables) {
  test(`the API server says what the rules of ${kind.kind} say`, async () => {
    const said: string[] = [];
    for (const [index, row] of cases.entries()) {
      const answer = linesOf(row, await admitted.ask(kind, row, namespaceOf(kind, index)));
      expect([row.what, /^(stored|gone)/.test(answer)]).toEqual([row.what, row.refused.length === 0]);
      said.push(`${operationOf(row)}: ${row.what}\n${answer}\n`);
    }
    await expectGolden(join(import.meta.dir, `testdata/rules/${kind.plural}.txt`), said.join('\n'));
  });
}

/** What the API server says of a case, a line each reason and each warning. */
function linesOf({ deleted }: AdmissionCase, { code, body, warnings }: Said): string {
  const causes = (body.details?.causes ?? []).map(({ field, message }) => `  ${field}: ${message}`);
  const verdict = code < 300 ? (deleted ? 'gone' : 'stored') : `${code} ${body.reason}`;
  return [verdict, ...causes, ...warnings.map((text) => `  warning: ${text}`)].join('\n');
}
