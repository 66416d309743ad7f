import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Api, type Connection } from '../../controller/runtime/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { namespaces } from '../../controller/runtime/core.ts';
import type { KubeObject, Resource } from '../../controller/runtime/object.ts';
import { pathOf } from '../../controller/runtime/paths.ts';
import { type Kind, version } from '../../schemas/kind.ts';
import { kinds } from '../../schemas/kinds.ts';
import { type AdmissionCase, operationOf } from '../admission/case.ts';
import { caseTables } from '../admission/cases.ts';
import { usualObjects } from '../admission/facts.ts';
import { expectGolden } from '../golden.ts';
import { type OwnCluster, ownControlPlane } from './cluster.ts';
import { say } from './said.ts';
import { admitHerders, register, startWebhook, type WebhookProcess } from './webhook.ts';

/** The cases of the rules once more, through a real API server: what it says is what a user reads. */

const tables = caseTables.map(({ kind, cases }) => ({ kind, cases: cases.filter(({ madeUp }) => !madeUp) }));

let cluster: OwnCluster;
let webhook: WebhookProcess;
let api: Api;
let users: Record<NonNullable<AdmissionCase['as']>, Connection>;

beforeAll(async () => {
  cluster = await ownControlPlane();
  api = new Api({ connection: cluster.admin, clock });
  await admitHerders(cluster);
  users = {
    owner: (await cluster.user('alice')).connection,
    operator: (await cluster.user('olga')).connection,
  };
  for (const { kind, cases } of tables) {
    await Promise.all(cases.map((row, index) => prepare(row, namespaceOf(kind, index))));
  }
  webhook = await startWebhook(cluster);
  await register(cluster, webhook.port);
}, 120_000);

afterAll(async () => {
  await webhook?.stop();
  await cluster?.end();
});

for (const { kind, cases } of tables) {
  test(`the API server says what the rules of ${kind.kind} say`, async () => {
    const said: string[] = [];
    for (const [index, row] of cases.entries()) {
      const answer = await ask(kind, row, namespaceOf(kind, index));
      expect([row.what, /^(stored|gone)/.test(answer)]).toEqual([row.what, row.refused.length === 0]);
      said.push(`${operationOf(row)}: ${row.what}\n${answer}\n`);
    }
    await expectGolden(join(import.meta.dir, `testdata/rules/${kind.plural}.txt`), said.join('\n'));
  });
}

/** Each case has a namespace of its own: there are rules that look at what else is there. */
const namespaceOf = ({ plural }: Kind, index: number): string => `${plural}-${index}`;

/** All as it was before there was a webhook: some objects break a rule, as objects do that are older than the rule. */
async function prepare(
  { now, before, deleted, among = usualObjects }: AdmissionCase,
  namespace: string,
): Promise<void> {
  await api.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const others = among.filter(({ kind, metadata }) => kind !== now.kind || metadata.name !== now.metadata.name);
  for (const object of [...others, ...(before ? [before] : []), ...(deleted ? [now] : [])]) {
    const kind = kinds.find((one) => one.kind === object.kind);
    if (!kind) throw new Error(`${object.kind} is no kind of ours`);
    const { name } = (await api.create(resourceOf(kind), placed(object, namespace))).metadata;
    if (object.metadata.deletionTimestamp) await api.delete(resourceOf(kind), { namespace, name });
  }
}

/** Writes the object as the user of the case; what the API server says of it, a line each reason and each warning. */
async function ask(
  kind: Kind,
  { now, before, deleted, as = 'owner' }: AdmissionCase,
  namespace: string,
): Promise<string> {
  const object = placed(now, namespace);
  const all = pathOf(resourceOf(kind), { namespace });
  if (before) object.metadata.resourceVersion = await versionOf(kind, object);
  const one = `${all}/${object.metadata.name}`;
  const { code, body, warnings } = await say(
    users[as],
    deleted
      ? { method: 'DELETE', path: one }
      : { ...(before ? { method: 'PUT', path: one } : { method: 'POST', path: all }), object },
  );
  const causes = (body.details?.causes ?? []).map(({ field, message }) => `  ${field}: ${message}`);
  const verdict = code < 300 ? (deleted ? 'gone' : 'stored') : `${code} ${body.reason}`;
  return [verdict, ...causes, ...warnings.map((text) => `  warning: ${text}`)].join('\n');
}

async function versionOf(kind: Kind, { metadata }: KubeObject): Promise<string | undefined> {
  const { namespace, name } = metadata;
  const stored = await api.get(resourceOf(kind), { ...(namespace === undefined ? {} : { namespace }), name });
  return stored.metadata.resourceVersion;
}

const placed = (object: KubeObject, namespace: string): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, namespace },
});

const resourceOf = ({ group, kind, plural }: Kind): Resource => ({ group, version, plural, kind, namespaced: true });
