import { expect, test } from 'bun:test';
import { errorOf, type Herd, recorded } from './herd.ts';

/** Present is an answer, absent is NotFound. */
export function asking(herd: Herd): void {
  const { uninitialized } = herd.trial.specs;

  test('for a VM that it made, with and without its identity on record', async () => {
    const request = herd.request();
    const { providerID, nodeName } = await herd.driver.createMachine(request);
    for (const question of [request, recorded(request, { providerID, nodeName })]) {
      expect(await herd.driver.getMachineStatus?.(question)).toMatchObject({ providerID, nodeName });
    }
  });

  test('for a VM that never was', async () => {
    expect((await errorOf(herd.driver.getMachineStatus?.(herd.request()))).code).toBe('NotFound');
  });

  test('for a VM that is gone', async () => {
    const request = herd.request();
    const answer = await herd.driver.createMachine(request);
    await herd.remove(request, answer);
    for (const question of [request, recorded(request, answer)]) {
      expect((await errorOf(herd.driver.getMachineStatus?.(question))).code).toBe('NotFound');
    }
  });

  if (uninitialized) {
    test('for a VM that is to be initialized: it names the VM, and is content afterwards', async () => {
      const request = herd.request(uninitialized);
      const { providerID, nodeName } = await herd.driver.createMachine(request);
      const error = await errorOf(herd.driver.getMachineStatus?.(request));
      expect(error).toMatchObject({ code: 'Uninitialized', known: { providerID, nodeName } });
      for (const _ of ['once', 'again']) {
        expect(await herd.driver.initializeMachine?.(request)).toMatchObject({ providerID, nodeName });
      }
      expect(await herd.driver.getMachineStatus?.(request)).toMatchObject({ providerID, nodeName });
    });
  }
}

/** A list leaves no VM out, and tells whose it is and how old. */
export function listing(herd: Herd): void {
  test('every VM of a class, with the name of its machine', async () => {
    const requests = [1, 2, 3].map(() => herd.request());
    const made = await Promise.all(requests.map((request) => herd.driver.createMachine(request)));
    const listed = await Promise.all(requests.map((request) => herd.listed(request)));
    expect(listed.map((vms) => vms?.map(({ providerID }) => providerID))).toEqual(
      made.map(({ providerID }) => [providerID]),
    );
  });

  if (herd.trial.stamps) {
    test('installation and age of a VM', async () => {
      const request = herd.request();
      await herd.driver.createMachine(request);
      const [vm] = (await herd.listed(request)) ?? [];
      expect(vm?.incarnation).toBe(herd.incarnation);
      expect(vm?.created).toBeGreaterThanOrEqual(Math.floor(herd.begun / 1000) * 1000);
      expect(vm?.created).toBeLessThanOrEqual(Date.now());
    });
  }
}
