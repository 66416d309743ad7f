import { expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import type { MachineDrainRule } from '../../schemas/machinedrainrule.ts';
import { at, machine, machineClass } from '../../test/fixtures/objects.ts';
import { benchDrain, podOn } from '../drain/drains.fixture.ts';
import { oneTarget } from '../model/target.fixture.ts';
import { Api } from '../runtime/client/api.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { seededRandom } from '../runtime/random.ts';
import { type Answer, FakeServer, json, status, turnUntil } from '../runtime/server.fake.ts';
import type { Cache } from '../runtime/watch/cache.ts';
import { runCache } from '../runtime/watch/watch.ts';
import { openGate } from '../safety/outage/gates.fixture.ts';
import { rulesCache } from './drainrules.fixture.ts';
import { drainSettings, readyNode, recorded } from './flow/view.fixture.ts';
import { drainFact } from './observedrain.ts';

/** The drain of a Machine's Node on which one pod runs. */
function drainOf(drainRules: Cache<MachineDrainRule>, clock: FakeClock) {
  const { target, drains } = benchDrain();
  target.pods.put(podOn('a'));
  return drainFact(
    {
      drains,
      targets: oneTarget(target),
      drivers: new Map(),
      clock,
      limits: { drain: drainSettings },
      drainRules,
      clusters: { get: () => undefined },
    },
    machine({ ...recorded, metadata: { ...recorded.metadata, deletionTimestamp: at(30) } }),
    { node: readyNode, class: { at: 'ours', class: machineClass() }, gate: openGate },
  );
}

/** Rules that are listed once; from then on a server answers with this. */
async function listedOnce(answers: readonly Answer[]) {
  const clock = new FakeClock();
  const log = new FakeLog();
  const stop = new AbortController();
  const drainRules = rulesCache();
  const server = new FakeServer(json({ metadata: { resourceVersion: '5' }, items: [] }), ...answers);
  const api = new Api({ connection: server.connection, clock });
  const parts = { api, resource: resources.machineDrainRules, clock, random: seededRandom(1), log, cache: drainRules };
  const running = runCache<MachineDrainRule>({ ...parts, signal: stop.signal });
  await turnUntil(() => drainRules.listedAt !== undefined);
  const pass = async (ms: number) => {
    const end = clock.now() + ms;
    while (clock.now() < end) {
      const asked = server.received.length;
      await turnUntil(() => log.lines.length > 0);
      log.lines.length = 0;
      await clock.advance(30_001);
      await turnUntil(() => server.received.length > asked);
    }
  };
  const end = async () => {
    stop.abort();
    await running;
    server[Symbol.dispose]();
  };
  return { clock, drainRules, pass, end };
}

// hack/decisions/0051 L72: the right to the rules is lost, and somebody makes one that skips a pod, which nobody here can see.
test('nobody is asked to leave while the rules cannot be read, though they could once', async () => {
  const { clock, drainRules, pass, end } = await listedOnce(Array<Answer>(100).fill(status(403, 'Forbidden')));
  expect(drainOf(drainRules, clock)).toMatchObject({ podsKnown: true });
  await pass(60_000);
  expect(drainOf(drainRules, clock)).toMatchObject({ podsKnown: true });
  await pass(60_000);
  expect(drainOf(drainRules, clock)).toMatchObject({ podsKnown: false, rulesUnknown: true });
  await end();
});
