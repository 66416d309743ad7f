import { expect, test } from 'bun:test';
import { until } from '../../hack/lib/until.ts';
import { errorOf, type Herd, recorded } from './herd.ts';

/** A deletion is done when nothing is left, however often it is asked for. */
export function deleting(herd: Herd): void {
  const isGone = async (request: Parameters<Herd['listed']>[0]) =>
    expect((await herd.listed(request)) ?? []).toEqual([]);

  test('a VM, and once more without complaint', async () => {
    const request = herd.request();
    const answer = await herd.driver.createMachine(request);
    await herd.remove(recorded(request, answer), answer);
    await herd.remove(recorded(request, answer), answer);
    await isGone(request);
  });

  test('a VM whose identity was never recorded', async () => {
    const request = herd.request();
    const answer = await herd.driver.createMachine(request);
    await herd.remove(request, answer);
    await isGone(request);
  });

  test('a VM by nothing but its identity and name, as a sweep of orphans does', async () => {
    const request = herd.request();
    const answer = await herd.driver.createMachine(request);
    const { name, namespace } = request.machine.metadata;
    const dummy = { ...request, token: crypto.randomUUID(), machine: { metadata: { name, namespace }, spec: {} } };
    await herd.remove(recorded(dummy, answer), answer);
    await isGone(request);
  });

  test('what never was', async () => {
    await herd.remove(herd.request());
  });

  test('a VM when asked several times at once', async () => {
    const request = herd.request();
    const answer = await herd.driver.createMachine(request);
    await Promise.all([1, 2, 3].map(() => herd.remove(request, answer)));
    await isGone(request);
  });

  const { lingers } = herd.trial.specs;
  if (lingers && herd.trial.methods.includes('getMachineStatus'))
    test('a VM that takes its time: until it is gone, it is told of', async () => {
      const request = herd.request(lingers);
      const answer = await herd.driver.createMachine(request);
      await herd.driver.deleteMachine(request);
      const { providerID } = answer;
      expect(await herd.status(recorded(request, answer))).toMatchObject({ providerID });
      await herd.remove(recorded(request, answer), answer);
      await isGone(request);
    });

  test('only the VM that it is asked for', async () => {
    const [one, other] = [herd.request(), herd.request()];
    await herd.driver.createMachine(one);
    await herd.driver.createMachine(other);
    await herd.remove(one);
    expect((await herd.listed(other))?.length ?? 1).toBe(1);
  });
}

/** A world without the driver's machines is as it was before. */
export function leaving(herd: Herd): void {
  test('everything can be deleted, and nothing of it is left', async () => {
    await herd.removeAll();
    const left = async () => (await herd.candidate.inventory(herd.prefix)).join(', ');
    await until('an empty inventory', async () => (await left()) === '', { timeoutMs: 30_000 }).catch(() => {});
    expect(await left()).toBe('');
  }, 120_000);

  test('its secrets were told to nobody', () => expect(herd.tellsSecret()).toBe(false));
}

/** A VM that is left on purpose goes on, and every list says so. */
export function retaining(herd: Herd): void {
  const marksOf = async (request: Parameters<Herd['listed']>[0]) =>
    ((await herd.listed(request)) ?? []).map(({ retained = false }) => retained);

  test('a VM that its machine leaves is marked, once and again, and goes on', async () => {
    const request = herd.request();
    const answer = await herd.driver.createMachine(request);
    expect(await marksOf(request)).toEqual([false]);
    for (const _ of ['once', 'again']) await herd.driver.retainMachine?.(recorded(request, answer));
    expect(await marksOf(request)).toEqual([true]);
    const { providerID } = answer;
    expect(await herd.status(recorded(request, answer))).toMatchObject({ providerID });
  });

  test('a VM that was left can be deleted by whoever wants that', async () => {
    const request = herd.request();
    const answer = await herd.driver.createMachine(request);
    await herd.driver.retainMachine?.(recorded(request, answer));
    await herd.remove(recorded(request, answer), answer);
    expect(await marksOf(request)).toEqual([]);
  });

  test('a VM that never was cannot be left', async () => {
    expect((await errorOf(herd.driver.retainMachine?.(herd.request()))).code).toBe('NotFound');
  });
}
