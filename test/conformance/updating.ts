import { expect, test } from 'bun:test';
import type { MachineRequest, UpdateRequest } from '../../controller/drivers/sdk/driver.ts';
import { classOf } from '../../controller/drivers/sdk/errors.ts';
import { drifted } from '../../controller/machine/flow/hotupdate.ts';
import { hotPart } from '../../schemas/hotpart.ts';
import { errorOf, type Herd, recorded } from './herd.ts';

type Spec = Record<string, unknown>;

/** A hot update brings a VM to its class in its place, and may be repeated. */
export function updating(herd: Herd): void {
  const { plain, hot = plain, hotHang, hotLostAnswer } = herd.trial.specs;
  const change = (request: MachineRequest, spec: Spec, applied: Spec = plain): UpdateRequest => ({
    ...request,
    token: `${request.token}/2`,
    class: { ...request.class, providerSpec: spec },
    applied: hotPart(applied, herd.driver.providerSpec),
  });
  /** A VM of the plain spec, and its machine with it on record. */
  const made = async (): Promise<MachineRequest> => {
    const request = herd.request();
    return recorded(request, await herd.driver.createMachine(request));
  };
  /** The VM has what the spec wants, as far as the driver tells. */
  const expectAt = async (request: MachineRequest, spec: Spec) => {
    const { hot: has } = (await herd.driver.getMachineStatus?.(request)) ?? {};
    expect(has !== undefined && drifted(has, hotPart(spec, herd.driver.providerSpec))).toBe(false);
  };

  test('a VM, which stays the same one, and once more without complaint', async () => {
    const request = await made();
    await herd.driver.updateMachine?.(change(request, hot));
    await herd.driver.updateMachine?.(change(request, hot));
    await expectAt(request, hot);
    const { providerID } = await herd.driver.createMachine(request);
    expect<string | undefined>(providerID).toBe(request.machine.spec?.providerID);
    expect((await herd.listed(request))?.length ?? 1).toBe(1);
  });

  test('a VM back to what it was', async () => {
    const request = await made();
    await herd.driver.updateMachine?.(change(request, hot));
    await herd.driver.updateMachine?.(change(request, plain, hot));
    await expectAt(request, plain);
  });

  test('a VM, whatever others put on it survives', async () => {
    const { foreign } = herd.candidate;
    if (!foreign) return;
    const request = await made();
    await foreign.put(request);
    await herd.driver.updateMachine?.(change(request, hot));
    await herd.driver.updateMachine?.(change(request, plain, hot));
    expect(await foreign.isThere(request)).toBe(true);
  });

  test('nothing when there is no VM', async () => {
    const error = await errorOf(herd.driver.updateMachine?.(change(herd.request(), hot)));
    expect(error.code).toBe('NotFound');
  });

  test('nothing when the VM is gone', async () => {
    const request = await made();
    await herd.remove(request);
    const error = await errorOf(herd.driver.updateMachine?.(change(request, hot)));
    expect(error.code).toBe('NotFound');
    expect((await herd.listed(request)) ?? []).toEqual([]);
  });

  test('nothing when the call was given up before it began', async () => {
    const request = { ...(await made()), signal: AbortSignal.abort() };
    const error = await errorOf(herd.driver.updateMachine?.(change(request, hot)));
    expect(classOf(error.code, 'updateMachine')).toBe('transient');
  });

  if (hotHang) {
    test('a VM no longer than until the call is given up', async () => {
      const given = new AbortController();
      const call = errorOf(herd.driver.updateMachine?.(change({ ...(await made()), signal: given.signal }, hotHang)));
      given.abort();
      expect(classOf((await call).code, 'updateMachine')).toBe('transient');
    });
  }

  if (hotLostAnswer) {
    test('a VM although the answer of the first call was lost', async () => {
      const request = await made();
      const error = await errorOf(herd.driver.updateMachine?.(change(request, hotLostAnswer)));
      expect(classOf(error.code, 'updateMachine')).toBe('transient');
      await herd.driver.updateMachine?.(change(request, hotLostAnswer));
      await expectAt(request, hotLostAnswer);
    });
  }
}
