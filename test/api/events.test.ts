import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Api } from '../../controller/runtime/client/api.ts';
import { systemClock } from '../../controller/runtime/clock.ts';
import { Events, eventMetrics } from '../../controller/runtime/events/events.ts';
import { configMaps, events } from '../../controller/runtime/k8s/core.ts';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { FakeLog } from '../../controller/runtime/observability/log.fake.ts';
import { createMetrics } from '../../controller/runtime/observability/metrics.ts';
import { systemRandom } from '../../controller/runtime/random.ts';
import { until } from '../../hack/lib/until.ts';
import { type Cluster, controlPlane } from './support/controlplane.ts';

const SOON = { timeoutMs: 10_000 };
const stop = new AbortController();
const log = new FakeLog();

let cluster: Cluster;
let api: Api;
let recorder: Events;
let ended: Promise<void>;

beforeAll(async () => {
  cluster = await controlPlane();
  api = new Api({ connection: cluster.admin, clock: systemClock });
  recorder = new Events({
    api,
    clock: systemClock,
    random: systemRandom,
    log,
    metrics: createMetrics({ tables: [eventMetrics] }),
    controller: 'drover.dev/controller',
    instance: 'controller-0',
  });
  ended = recorder.run(stop.signal);
}, 180_000);

afterAll(async () => {
  stop.abort();
  await ended;
});

/** An object to tell events of, in a namespace of its own. */
async function something(): Promise<KubeObject & { metadata: { namespace: string } }> {
  const namespace = await cluster.namespace('events');
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'thing' } };
  const { metadata } = await api.create(configMaps, object);
  return { ...object, metadata: { ...metadata, namespace } };
}

/** Events of the namespace, once the last one told has the note. */
const eventsIn = (namespace: string, note: string) =>
  until(
    `an event that says ${note}`,
    async () => {
      const { items } = await api.list(events, { namespace });
      return items.some((event) => event.note === note) ? items : undefined;
    },
    SOON,
  );

test('what happens again is one event with its count, to our client, to kubectl get and to kubectl describe', async () => {
  const thing = await something();
  const { namespace, name } = thing.metadata;
  const failed = {
    type: 'Warning',
    reason: 'CreateFailed',
    note: 'no room in zone a',
    action: 'CreateMachine',
  } as const;
  recorder.record(thing, failed);
  await eventsIn(namespace, failed.note);
  recorder.record(thing, failed);
  const [event] = await until(
    'the series',
    async () => {
      const found = await eventsIn(namespace, failed.note);
      return found[0]?.series ? found : undefined;
    },
    SOON,
  );
  expect(event).toMatchObject({ series: { count: 2 }, action: 'CreateMachine', reportingInstance: 'controller-0' });
  expect(await eventsIn(namespace, failed.note)).toHaveLength(1);

  const listed = await cluster.kubectl(['get', 'events', '-n', namespace, '--no-headers']);
  expect(listed.stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/^\d+s +Warning +CreateFailed +configmap\/thing +no room in zone a$/),
  ]);
  const described = await cluster.kubectl(['describe', 'configmap', name, '-n', namespace]);
  expect(described.stdout.match(/CreateFailed/g)).toHaveLength(1);
  expect(described.stdout).toMatch(
    /Warning +CreateFailed +\d+s \(x2 over \d+s\) +.*drover\.dev\/controller.* +no room in zone a/,
  );
});

test('a series may begin with its first write, and the longest note and an odd name are accepted', async () => {
  const thing = await something();
  const odd = { ...thing, metadata: { ...thing.metadata, name: `${'a'.repeat(236)}.${'b'.repeat(16)}` } };
  const note = 'ä'.repeat(1000);
  for (let n = 0; n < 3; n++) recorder.record(odd, { type: 'Normal', reason: 'Seen', note });
  const [event] = await eventsIn(thing.metadata.namespace, `${'ä'.repeat(510)}…`);
  expect(event?.series?.count).toBe(3);
});

test('the event of an object without a namespace stands in default', async () => {
  const node: KubeObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1', uid: crypto.randomUUID() } };
  recorder.record(node, { type: 'Normal', reason: 'Registered', note: `node ${node.metadata.uid}` });
  const found = await eventsIn('default', `node ${node.metadata.uid}`);
  expect(found.at(-1)?.regarding.kind).toBe('Node');
});

test('an event that somebody deleted is told anew when its series goes on', async () => {
  const thing = await something();
  const { namespace } = thing.metadata;
  const seen = { type: 'Normal', reason: 'Seen', note: 'again' } as const;
  recorder.record(thing, seen);
  const [first] = await eventsIn(namespace, seen.note);
  if (first) await api.delete(events, { namespace, name: first.metadata.name });
  recorder.record(thing, seen);
  const [anew] = await eventsIn(namespace, seen.note);
  expect(anew?.series?.count).toBe(2);
});

test('what the server refuses is logged, and later events come through', async () => {
  const thing = await something();
  const gone = { ...thing, metadata: { ...thing.metadata, namespace: 'no-such-namespace' } };
  recorder.record(gone, { type: 'Normal', reason: 'Lost', note: 'nobody hears this' });
  const other = await something();
  recorder.record(other, { type: 'Normal', reason: 'Found', note: 'this is heard' });
  expect(await eventsIn(other.metadata.namespace, 'this is heard')).toHaveLength(1);
  expect(log.lines).toMatchObject([{ message: 'Event refused', fields: { reason: 'Lost' } }]);
});
