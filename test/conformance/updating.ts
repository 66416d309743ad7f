import { expect, test } from 'bun:test';
import { errorOf, type Herd } from './herd.ts';

/** A hot update changes a VM in its place, and may be repeated. */
export function updating(herd: Herd): void {
  const { plain, hot = plain } = herd.trial.specs;
  const updateOf = (request: ReturnType<Herd['request']>) => ({
    ...request,
    token: `${request.token}/2`,
    class: { ...request.class, providerSpec: hot },
    applied: plain,
  });

  test('a VM, which stays the same one', async () => {
    const request = herd.request();
    const { providerID } = await herd.driver.createMachine(request);
    const change = updateOf({ ...request, machine: { ...request.machine, spec: { providerID } } });
    await herd.driver.updateMachine?.(change);
    await herd.driver.updateMachine?.(change);
    expect((await herd.driver.createMachine(request)).providerID).toBe(providerID);
    expect((await herd.listed(request))?.length ?? 1).toBe(1);
  });

  test('nothing when there is no VM', async () => {
    const error = await errorOf(herd.driver.updateMachine?.(updateOf(herd.request())));
    expect(error.code).toBe('NotFound');
  });
}
