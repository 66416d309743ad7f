import { expect, test } from 'bun:test';
import { classOf } from '../../controller/drivers/sdk/errors.ts';
import type { Failing } from './candidate.ts';
import { errorOf, type Herd } from './herd.ts';

/** Every failure is a DriverError with the right code, and a call ends when its signal says so. */
export function failing(herd: Herd): void {
  const { unknownKey, hang, failing: codes = [] } = herd.trial.specs;

  test('for a providerSpec with an unknown key, whose path it names; nothing is made', async () => {
    const request = herd.request(unknownKey.spec);
    const error = await errorOf(herd.driver.createMachine(request));
    expect(error.code).toBe('InvalidArgument');
    expect(error.message).toContain(unknownKey.path);
    expect((await herd.listed(request)) ?? []).toEqual([]);
  });

  test('at once when the call was given up before it began; nothing is made', async () => {
    const request = herd.request();
    const error = await errorOf(herd.driver.createMachine({ ...request, signal: AbortSignal.abort() }));
    expect(classOf(error.code, 'createMachine')).toBe('transient');
    expect((await herd.listed(request)) ?? []).toEqual([]);
  });

  if (hang) {
    test('at its deadline when the provider does not answer', async () => {
      const request = herd.request(hang);
      const error = await errorOf(herd.driver.createMachine({ ...request, signal: AbortSignal.timeout(100) }));
      expect(error.code).toBe('DeadlineExceeded');
    });

    test('at once when a call that hangs is given up', async () => {
      const given = new AbortController();
      const call = errorOf(herd.driver.createMachine({ ...herd.request(hang), signal: given.signal }));
      given.abort();
      expect(classOf((await call).code, 'createMachine')).toBe('transient');
    });
  }

  for (const { method, code, spec } of codes) {
    test(`with ${code} of ${method}`, async () => {
      expect((await errorOf(called(herd, { method, code, spec }))).code).toBe(code);
    });
  }
}

/** Calls a method that is about to fail, for a machine that has a VM unless it is the creation that fails. */
async function called(herd: Herd, { method, spec }: Failing): Promise<unknown> {
  const request = herd.request();
  if (method !== 'createMachine') await herd.driver.createMachine(request);
  return herd.driver[method]?.({ ...request, class: herd.classOf(spec), applied: {} });
}
