import { expect, test } from 'bun:test';
import { errorOf, type Herd, recorded } from './herd.ts';

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
    expect(await herd.driver.getMachineStatus?.(recorded(request, answer))).toMatchObject({ providerID });
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
