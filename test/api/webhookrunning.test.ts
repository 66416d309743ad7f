import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { Api, type ApiError } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { ownMetrics } from '../../controller/runtime/observability/metrics.ts';
import { until } from '../../hack/lib/until.ts';
import { resources } from '../../schemas/kinds.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { metricTables } from '../../webhook/metrics.ts';
import { LIMITS } from '../../webhook/server/tlslistener.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { admitHerders, startRegistered, startWebhook, type WebhookProcess } from './support/webhookprocess.ts';

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
  webhook = await startRegistered(cluster);
}, 180_000);

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
    'certificate_expiry_days{certificate="serving"}',
    'certificate_expiry_days{certificate="authority"}',
  ])
    expect(text).toContain(`drover_webhook_${series}`);
});

describe('when large bodies fill the room there is for them', () => {
  const MIB = 1024 * 1024;
  const large = (name: string) => set(name, { annotations: { note: 'x'.repeat(100_000) } });

  const overloads = async () => Number(/overloads_total{limit="bytes"} (\d+)/.exec(await scrape())?.[1] ?? 0);

  /** A call from an address of this machine that announces a body of 7 MiB and sends a part of it. */
  function begin(localAddress: string, sent: number): TLSSocket {
    const place = { port: webhook.port, host: '127.0.0.1', rejectUnauthorized: false };
    const socket = connect({ ...place, localAddress } as typeof place);
    socket.on('error', () => {});
    socket.write(`POST /validate HTTP/1.1\r\nHost: a\r\nContent-Length: ${7 * MIB}\r\n\r\n${'x'.repeat(sent)}`);
    return socket;
  }

  /** Calls from the address of the API server, of which so much has come that there is no room for a large one. */
  async function occupy(): Promise<TLSSocket[]> {
    const sockets: TLSSocket[] = [];
    for (const [bytes, count] of [
      [MIB, LIMITS.bytes / 2 / MIB],
      [MIB / 16, 17],
    ] as const) {
      const before = await overloads();
      sockets.push(...Array.from({ length: count }, () => begin('127.0.0.1', bytes)));
      await until('one to be turned away', async () => (await overloads()) > before, { timeoutMs: 5_000 });
    }
    return sockets;
  }

  test('small ones are judged, and the API server tries large ones again until there is room', async () => {
    const sockets = await occupy();
    const before = await overloads();
    expect(await outcome(set('small'))).toBe('applied');
    const waiting = outcome(large('large'));
    await until('a large one to be turned away', async () => (await overloads()) > before, { timeoutMs: 5_000 });
    for (const socket of sockets) socket.destroy();
    expect(await waiting).toBe('applied');
  });

  test('large ones are refused when there is none for too long; who sends nothing is dropped', async () => {
    const sockets = await occupy();
    const dropped = sockets.map((socket) => new Promise((resolve) => socket.resume().once('close', resolve)));
    expect(await outcome(large('refused-large'))).toContain('failed calling webhook');
    await Promise.all(dropped);
    expect(await outcome(large('large-again'))).toBe('applied');
  });

  // hack/decisions/0028 W6
  test('what another address announces or sends takes nothing from the API server', async () => {
    const announced = Array.from({ length: 134 }, () => begin('127.0.0.2', 1));
    const sent = Array.from({ length: LIMITS.bytes / MIB }, () => begin('127.0.0.3', MIB));
    const before = await overloads();
    await until('some to be turned away', async () => (await overloads()) > before, { timeoutMs: 5_000 });
    expect(await outcome(large('untouched'))).toBe('applied');
    for (const socket of [...announced, ...sent]) socket.destroy();
  });
});

describe('when the program is killed while applies run', () => {
  /** What came of sets that are applied one after the other, by who applies them. */
  const said = new Map<string, string[]>();

  /** Applies good and bad sets until told to stop. */
  async function applyAlways(name: string, signal: AbortSignal): Promise<void> {
    const own: string[] = [];
    said.set(name, own);
    for (let turn = 0; !signal.aborted; turn++) {
      const bad = turn % 3 === 2;
      const came = await outcome(set(`${name}-${turn}`, bad ? unselective : {}));
      own.push(`${bad ? 'bad' : 'good'}: ${kindOf(came)}`);
    }
  }

  /** What the webhook let through before it was killed may be stored a moment later: until each has applied another. */
  async function whenAllTriedAgain(): Promise<void> {
    const counts = [...said.values()].map((own) => ({ own, before: own.length }));
    await until('each to try again', () => counts.every(({ own, before }) => own.length > before), {
      timeoutMs: 20_000,
    });
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
    await whenAllTriedAgain();
    await expectRefusedOnly(count);
    webhook = await startWebhook(cluster, webhook.port);
    await grows();
    stop.abort();
    await running;
    expect([...new Set([...said.values()].flat())].sort()).toEqual([
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
