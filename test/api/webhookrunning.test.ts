import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { Api, type ApiError } from '../../controller/runtime/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { ownMetrics } from '../../controller/runtime/metrics.ts';
import { until } from '../../hack/until.ts';
import { resources } from '../../schemas/kinds.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { MOST_BYTES_IN_WORK } from '../../webhook/intake.ts';
import { metricTables } from '../../webhook/metrics.ts';
import { type OwnCluster, ownControlPlane } from './cluster.ts';
import { admitHerders, register, startWebhook, type WebhookProcess } from './webhook.ts';

const folder = mkdtempSync(join(tmpdir(), 'webhook-audit-'));
const auditLog = join(folder, 'audit.log');

let cluster: OwnCluster;
let webhook: WebhookProcess;
let namespace: string;
let api: Api;

beforeAll(async () => {
  const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] };
  await Bun.write(join(folder, 'policy.yaml'), JSON.stringify(policy));
  const flags = [`--audit-policy-file=${join(folder, 'policy.yaml')}`, `--audit-log-path=${auditLog}`];
  cluster = await ownControlPlane({ flags });
  namespace = await cluster.namespace('running');
  api = new Api({ connection: cluster.admin, clock });
  await admitHerders(cluster, namespace);
  webhook = await startWebhook(cluster);
  await register(cluster, webhook.port);
}, 60_000);

afterAll(async () => {
  await webhook?.stop();
  await cluster?.end();
  rmSync(folder, { recursive: true });
});

const labels = { app: 'herd' };

/** A set of no machines; an empty selector makes it one that is refused. */
const set = (name: string, { selector = { matchLabels: labels }, annotations = {} } = {}): MachineSet =>
  ({
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineSet',
    metadata: { namespace, name, annotations },
    spec: {
      replicas: 0,
      selector,
      template: { metadata: { labels }, spec: { class: { kind: 'MachineClass', name: 'small' } } },
    },
  }) as MachineSet;

const apply = (object: MachineSet) =>
  api.patch(resources.machineSets, object.metadata as { namespace: string; name: string }, {
    type: 'apply',
    body: object,
    manager: 'test',
  });

/** What an apply came to: `applied`, or the message of the API server. */
const outcome = (object: MachineSet): Promise<string> =>
  apply(object).then(
    () => 'applied',
    (error: ApiError) => error.message,
  );

const unselective = { selector: { matchLabels: {} } } as never;

interface AuditEvent {
  objectRef?: { resource: string; name?: string };
  responseStatus?: { code: number };
  annotations?: Record<string, string>;
}

test('the audit log of the API server tells which rules refused a write', async () => {
  await outcome(set('refused', unselective));
  const event = await until('the event in the audit log', () => auditEvent('refused'), { timeoutMs: 10_000 });
  expect(event.responseStatus?.code).toBe(422);
  expect(event.annotations).toMatchObject({ 'validate.drover.dev/refused-by': 'selector-not-empty' });
});

async function auditEvent(name: string): Promise<AuditEvent | undefined> {
  const lines = (await Bun.file(auditLog).text()).split('\n').filter(Boolean);
  const events = lines.map((line) => JSON.parse(line) as AuditEvent);
  return events.find(({ objectRef, responseStatus }) => objectRef?.name === name && responseStatus);
}

const scrape = async (): Promise<string> => {
  const answer = await fetch(`https://127.0.0.1:${webhook.port}/metrics`, { tls: { rejectUnauthorized: false } });
  return answer.text();
};

test('the program has the metrics that it declares and no others', async () => {
  await outcome(set('measured'));
  await cluster.kubectl(['-n', namespace, '--as=alice', 'annotate', 'mcs', 'measured', 'example.io.protected/a=b']);
  const text = await scrape();
  const families = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
  const declared = [ownMetrics, ...metricTables].flatMap((table) =>
    Object.entries(table).map(([name, { type }]) => `${name} ${type}`),
  );
  expect(families.filter((family) => !/^(process|nodejs)_/.test(family)).sort()).toEqual(declared.sort());
  for (const series of [
    'reviews_total{path="/validate",kind="MachineSet",operation="CREATE",verdict="allowed"}',
    'reviews_total{path="/validate",kind="MachineSet",operation="CREATE",verdict="refused"}',
    'findings_total{rule="selector-not-empty",level="deny"}',
    'review_duration_seconds_count{path="/validate"}',
    'access_reviews_total{result="miss"}',
    'certificate_days_left{certificate="serving"}',
    'certificate_days_left{certificate="authority"}',
  ])
    expect(text).toContain(`drover_webhook_${series}`);
});

describe('when large bodies fill the room there is for them', () => {
  const MIB = 1024 * 1024;
  const ROOM_MIB = (3 / 4) * (MOST_BYTES_IN_WORK / MIB);
  const large = (name: string) => set(name, { annotations: { note: 'x'.repeat(100_000) } });

  const overloads = async (path: string) =>
    Number(new RegExp(`overloads_total{path="/${path}"} (\\d+)`).exec(await scrape())?.[1] ?? 0);

  /** Calls that announce a body and never send it, one more than there is room for. */
  async function occupy(): Promise<TLSSocket[]> {
    const before = await overloads('validate');
    const sockets = Array.from({ length: ROOM_MIB + 1 }, () => {
      const socket = connect({ port: webhook.port, host: '127.0.0.1', rejectUnauthorized: false });
      socket.on('error', () => {});
      socket.write(`POST /validate HTTP/1.1\r\nHost: a\r\nContent-Length: ${MIB}\r\n\r\n`);
      return socket;
    });
    await until('one to be turned away', async () => (await overloads('validate')) > before, { timeoutMs: 5_000 });
    return sockets;
  }

  test('small ones are judged, and the API server tries large ones again until there is room', async () => {
    const sockets = await occupy();
    expect(await outcome(set('small'))).toBe('applied');
    const waiting = outcome(large('large'));
    await until('a large one to be turned away', () => overloads('mutate'), { timeoutMs: 5_000 });
    for (const socket of sockets) socket.destroy();
    expect(await waiting).toBe('applied');
  });

  test('large ones are refused when there is none for too long; who sends nothing is dropped', async () => {
    const sockets = await occupy();
    const dropped = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    expect(await outcome(large('refused-large'))).toContain('failed calling webhook');
    await Promise.all(dropped);
    expect(await outcome(large('large-again'))).toBe('applied');
  });
});

describe('when the program is killed while applies run', () => {
  /** Applies good and bad sets, one after the other, until told to stop. */
  async function applyAlways(name: string, signal: AbortSignal): Promise<string[]> {
    const said: string[] = [];
    for (let turn = 0; !signal.aborted; turn++) {
      const bad = turn % 3 === 2;
      const came = await outcome(set(`${name}-${turn}`, bad ? unselective : {}));
      said.push(`${bad ? 'bad' : 'good'}: ${kindOf(came)}`);
    }
    return said;
  }

  function kindOf(came: string): string {
    if (came.includes('failed calling webhook')) return 'webhook down';
    return came.includes('spec.selector: must not be empty') ? 'refused' : came;
  }

  test('all is refused while it is down, nothing bad ever gets in, and it goes on after a restart', async () => {
    const stop = new AbortController();
    const running = Promise.all(['a', 'b', 'c', 'd'].map((name) => applyAlways(name, stop.signal)));
    const count = async () => (await api.list(resources.machineSets, { namespace })).items.length;
    const grows = async () => {
      const before = await count();
      await until('more sets', async () => (await count()) > before + 10, { timeoutMs: 20_000 });
    };
    await Promise.all(['deleted', 'written'].map((name) => apply(set(name))));
    await grows();
    await webhook.kill();
    await expectRefusedOnly(count);
    webhook = await startWebhook(cluster, webhook.port);
    await grows();
    stop.abort();
    const said = (await running).flat();
    expect([...new Set(said)].sort()).toEqual([
      'bad: refused',
      'bad: webhook down',
      'good: applied',
      'good: webhook down',
    ]);
  });

  async function expectRefusedOnly(count: () => Promise<number>): Promise<void> {
    expect(await outcome(set('never'))).toContain('failed calling webhook');
    const before = await count();
    await api.delete(resources.machineSets, { namespace, name: 'deleted' });
    const body = { status: { replicas: 1 } };
    await api.patch(
      resources.machineSets,
      { namespace, name: 'written' },
      { type: 'merge', body },
      { subresource: 'status' },
    );
    expect(await count()).toBe(before - 1);
  }
});
