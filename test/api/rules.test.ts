import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Api } from '../../controller/runtime/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import type { KubeObject, Resource } from '../../controller/runtime/object.ts';
import { pathOf } from '../../controller/runtime/paths.ts';
import type { Kind } from '../../schemas/kind.ts';
import { group, version } from '../../schemas/kinds.ts';
import type { AdmissionCase } from '../admission/case.ts';
import { caseTables } from '../admission/cases.ts';
import { expectGolden } from '../golden.ts';
import { type OwnCluster, ownControlPlane } from './cluster.ts';
import { say } from './said.ts';
import { admitHerders, register, startWebhook, type WebhookProcess } from './webhook.ts';

/** The cases of the rules once more, through a real API server: what it says is what a user reads. */

let cluster: OwnCluster;
let webhook: WebhookProcess;
let namespace: string;

beforeAll(async () => {
  cluster = await ownControlPlane();
  namespace = await cluster.namespace('rules');
  await admitHerders(cluster, namespace);
  await storeBefores();
  webhook = await startWebhook(cluster);
  await register(cluster, webhook.port);
}, 60_000);

afterAll(async () => {
  await webhook?.stop();
  await cluster?.end();
});

for (const { kind, cases } of caseTables) {
  test(`the API server says what the rules of ${kind.kind} say`, async () => {
    const said: string[] = [];
    for (const [index, row] of cases.entries()) {
      const answer = await ask(kind, row, index);
      expect([row.what, answer.startsWith('stored')]).toEqual([row.what, row.refused.length === 0]);
      said.push(`${row.before ? 'update' : 'create'}: ${row.what}\n${answer}\n`);
    }
    await expectGolden(join(import.meta.dir, `testdata/rules/${kind.plural}.txt`), said.join('\n'));
  });
}

/** As the objects were before there was a webhook: some break a rule, as objects do that are older than the rule. */
async function storeBefores(): Promise<void> {
  const api = new Api({ connection: cluster.admin, clock });
  for (const { kind, cases } of caseTables) {
    for (const [index, row] of cases.entries()) {
      if (row.before) await api.create(resourceOf(kind), named(row.before, row, index));
    }
  }
}

/** Writes the object as the user of the case; what the API server says of it, a line each reason and each warning. */
async function ask(kind: Kind, row: AdmissionCase, index: number): Promise<string> {
  const { now, before, as = 'owner' } = row;
  const { connection } = await cluster.user(as === 'operator' ? 'olga' : 'alice');
  const object = named(now, row, index);
  const all = pathOf(resourceOf(kind), { namespace });
  if (before) object.metadata.resourceVersion = await versionOf(kind, object.metadata.name);
  const { code, body, warnings } = before
    ? await say(connection, { method: 'PUT', path: `${all}/${object.metadata.name}`, object })
    : await say(connection, { method: 'POST', path: all, object });
  const causes = (body.details?.causes ?? []).map(({ field, message }) => `  ${field}: ${message}`);
  const verdict = code < 300 ? 'stored' : `${code} ${body.reason}`;
  return [verdict, ...causes, ...warnings.map((text) => `  warning: ${text}`)].join('\n');
}

async function versionOf(kind: Kind, name: string): Promise<string | undefined> {
  const api = new Api({ connection: cluster.admin, clock });
  const { metadata } = await api.get(resourceOf(kind), { namespace, name });
  return metadata.resourceVersion;
}

/** Cases are stored side by side, so each has a name of its own. */
const named = (object: KubeObject, { ownName }: AdmissionCase, index: number): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, namespace, name: ownName ? object.metadata.name : `case-${index}` },
});

const resourceOf = ({ kind, plural }: Kind): Resource => ({ group, version, plural, kind, namespaced: true });
