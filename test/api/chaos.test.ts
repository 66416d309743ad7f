import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { controlPlane, type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { LIMIT_MS, Scene } from './support/outagescene.ts';
import { faults, slow } from './support/proxyfaults.ts';
import { AWAY, allow, type Servers, type Side } from './support/serverproxies.ts';

setDefaultTimeout(300_000);

let own: OwnCluster;
let servers: Servers;

beforeAll(async () => {
  const control = await controlPlane();
  own = await ownControlPlane();
  servers = { control, target: own };
  await allow(servers);
});

afterAll(() => own.end());

describe('while an API server is unreachable no VM is deleted, no machine given up, nothing rolled (hack/spec/mcm.md 8.2, 13.2):', () => {
  const outages = { ...faults, slow: slow(2 * LIMIT_MS) };
  const cases = [
    { name: 'silent', where: 'control' },
    { name: 'silent', where: 'target' },
    { name: 'silent', where: 'control and target' },
    { name: 'failing', where: 'control' },
    { name: 'failing', where: 'target' },
    { name: 'refused', where: 'target' },
    { name: 'refused', where: 'control and target' },
    { name: 'slow', where: 'control and target' },
  ] as const;

  test.concurrent.each(cases)('$where $name', async ({ name, where }) => {
    const sides = where.split(' and ') as Side[];
    await using scene = await Scene.set(servers);
    const { between } = scene;
    between.break(sides, outages[name]);
    await between.whenAway(sides);
    await scene.expectStandstill();
    await scene.expectRecovery(() => between.mend());
  });
});

describe('a controller that is killed and started again within an outage takes nothing away either:', () => {
  const cases = [
    { name: 'failing', side: 'control' },
    { name: 'cutLists', side: 'control' },
    { name: 'silent', side: 'target' },
    { name: 'refused', side: 'target' },
    { name: 'cutLists', side: 'target' },
  ] as const;

  test.concurrent.each(cases)('$side $name', async ({ name, side }) => {
    await using scene = await Scene.set(servers);
    const { between } = scene;
    between.kill();
    between.break([side], faults[name]);
    const started = between.startUntilItWorks();
    // On a busy machine it starts late: what it has seen of the outage then may be but a blip, after which clocks go on.
    await between.whenProbed(side);
    await scene.expectStandstill();
    await scene.expectRecovery(() => {
      between.mend();
      return started;
    });
  });
});

test.concurrent('blips freeze nothing, and do not add up (hack/spec/mcm.md Annex B, API guard)', async () => {
  await using scene = await Scene.set(servers, 12_000);
  const { between, perils } = scene;
  for (let blips = 0; blips < 5; blips++) {
    between.break(['control', 'target'], faults.silent);
    await Bun.sleep(2_500);
    between.mend();
    await Bun.sleep(2_500);
  }
  await perils.release();
  await perils.whenOver();
  for (const side of ['control', 'target'] as const) expect(between.told(side)).not.toContain(AWAY);
});
