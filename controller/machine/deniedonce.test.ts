import { expect, test } from 'bun:test';
import { machine } from '../../test/fixtures/objects.ts';
import { DriverError } from '../drivers/sdk/errors.ts';
import { type Beside, Life, VM } from './life.fixture.ts';

// hack/decisions/0051 L66, L68

/** A cloud that denies its VM at times; `remove` is how it takes a deletion. */
function cloudThat(
  remove: (cloud: { now: number; known: () => void }) => void,
  beside: Beside & { renews?: true } = {},
) {
  const cloud = { goneAt: Infinity, denied: [Infinity, Infinity] as [number, number] };
  const known = () => {
    const now = life.clock.now();
    const [from, to] = cloud.denied;
    if (now >= cloud.goneAt || (now >= from && now < to)) throw new DriverError('NotFound', 'there is no such VM');
  };
  const heartbeats = {
    isSilent: () => life.clock.now() >= cloud.goneAt,
    heard: () => ({ livedAt: life.clock.now() - 5_000 }),
  };
  const methods = {
    createMachine: async () => VM,
    getMachineStatus: async () => {
      known();
      return VM;
    },
    deleteMachine: async () => {
      remove({ now: life.clock.now(), known });
      return {};
    },
  };
  const life: Life = new Life(methods, { ...beside, ...(beside.renews && { heartbeats }) });
  const deny = (from: number, seconds: number) => {
    cloud.denied = [life.clock.now() + from * 1_000, life.clock.now() + (from + seconds) * 1_000];
  };
  const run = async () => {
    await life.pass(30);
    await life.register();
    await life.pass(900);
  };
  return { cloud, life, deny, run };
}

test('a VM that shuts down, and is denied for a moment meanwhile, goes before its Node and its machine', async () => {
  const { cloud, life, deny, run } = cloudThat(
    ({ now, known }) => {
      known();
      cloud.goneAt = Math.min(cloud.goneAt, now + 180_000);
    },
    { renews: true },
  );
  await run();
  deny(9, 6);
  await life.remove();
  await life.pass(60);
  expect(await life.left()).toEqual({ machine: true, node: true });
});

test('a VM that is denied for a moment by a driver that answers a deletion as if it had found one goes before its Node', async () => {
  const { cloud, life, deny, run } = cloudThat(
    ({ now }) => {
      const [from, to] = cloud.denied;
      if (now < from || now >= to) cloud.goneAt = now;
    },
    { renews: true },
  );
  await run();
  deny(0, 6);
  await life.remove();
  await life.pass(5);
  expect(await life.left()).toEqual({ machine: true, node: true });
  await life.pass(30);
  expect([cloud.goneAt < Infinity, await life.left()]).toEqual([true, { machine: false, node: false }]);
});

/** What MCM left: its id and Node on record, and nothing of ours. */
const ofMcm = machine({
  metadata: { labels: { node: 'm' }, annotations: { 'protected.drover.dev/vm-confirmed': '' } },
  spec: { providerID: VM.providerID },
});

test.each([1, 3])(
  'a machine that MCM was just deleting is drained though its VM is denied for %p s',
  async (seconds) => {
    const { cloud, life, deny } = cloudThat(
      ({ now, known }) => {
        known();
        cloud.goneAt = now;
      },
      { one: ofMcm },
    );
    await life.register();
    deny(0, seconds);
    await life.remove();
    await life.pass(120);
    expect(cloud.goneAt).toBeLessThan(Infinity);
    expect(life.sent.some((write) => write.includes('"unschedulable":true'))).toBe(true);
  },
);
