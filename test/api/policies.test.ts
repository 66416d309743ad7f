import { afterAll, beforeAll, expect, test } from 'bun:test';
import { parsePath, valueAt } from '../../webhook/admission/fieldpath.ts';
import { tables } from '../../webhook/rules/kinds/registry.ts';
import type { AdmissionCase } from '../admission/case.ts';
import { caseTables } from '../admission/cases.ts';
import { HELD } from '../admission/leaving.ts';
import { Admitted, namespaceOf } from './support/admissioncases.ts';
import { installPolicies } from './support/admissionpolicies.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';

/**
 * What the policies refuse where no webhook is: of the cases of admission, all that ask for privilege or for another
 * cluster, of living objects and of those that are being deleted (hack/decisions/0028 W2 and W4).
 */

/** Rules whose ground the policies cover, beside privilege. */
const COVERED: ReadonlySet<string> = new Set([...HELD, 'cluster-before-vm']);
const PLACES = tables
  .flatMap(({ guarded }) => guarded)
  .flatMap((place) => [`${place}.labels`, `${place}.annotations`].map(parsePath));

const isOfKeys = ({ now, before, deleted }: AdmissionCase): boolean =>
  !deleted && PLACES.some((path) => !Bun.deepEquals(valueAt(now, path), valueAt(before, path)));

const asked = caseTables.map(({ kind, cases }) => ({
  kind,
  cases: cases.filter((row) => !row.madeUp && (isOfKeys(row) || row.refused.some((id) => COVERED.has(id)))),
}));

let cluster: OwnCluster;
let admitted: Admitted;

beforeAll(async () => {
  cluster = await ownControlPlane();
  admitted = await Admitted.before(cluster, asked);
  await installPolicies(cluster);
}, 120_000);

afterAll(() => cluster?.end());

for (const { kind, cases } of asked) {
  test(`without a webhook the API server guards keys, claims and cluster of a ${kind.kind}`, async () => {
    const rows: Array<[what: string, refused: boolean]> = [];
    for (const [index, row] of cases.entries()) {
      const { code, body } = await admitted.ask(kind, row, namespaceOf(kind, index));
      // What the schema refuses never comes before a policy.
      expect([
        row.what,
        code < 300 || code === 422 || /ValidatingAdmissionPolicy 'drover-/.test(body.message ?? ''),
      ]).toEqual([row.what, true]);
      rows.push([row.what, code === 403]);
    }
    expect(rows).toEqual(cases.map(({ what, refused }) => [what, refused.some((id) => COVERED.has(id))]));
    expect(cases.some(({ refused }) => refused.length > 0)).toBe(true);
  });
}
