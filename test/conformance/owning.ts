import { expect, test } from 'bun:test';
import type { MachineRequest } from '../../controller/drivers/sdk/driver.ts';
import { ownerIn } from '../../controller/drivers/sdk/vmstatus.ts';
import { errorOf, type Herd, recorded } from './herd.ts';

/** A VM is marked with its Machine, and any other Machine sees the mark and gets no further (hack/decisions/0028 W4). */
export function owning(herd: Herd): void {
  /** A machine of the same namespace and name that a restore has made, with another UID. */
  const restored = (request: MachineRequest): MachineRequest => {
    const uid = crypto.randomUUID();
    const { machine } = request;
    return { ...request, machine: { ...machine, metadata: { ...machine.metadata, uid } }, token: uid };
  };
  const made = async () => {
    const request = herd.request();
    const answer = await herd.driver.createMachine(request);
    return { request, answer };
  };
  const ownersOf = async (request: MachineRequest) => ((await herd.listed(request)) ?? []).map(({ owner }) => owner);

  test('a VM with installation, namespace, name and UID of its machine, and always tells them', async () => {
    const { request, answer } = await made();
    const owner = ownerIn(request);
    expect(answer.owner).toEqual(owner);
    expect((await herd.status(recorded(request, answer)))?.owner).toEqual(owner);
    expect((await herd.listed(request))?.map((vm) => vm.owner)).toEqual([owner]);
  });

  test('a VM with an id of its own, which stands for no other VM', async () => {
    const [one, other] = [(await made()).answer.providerID, (await made()).answer.providerID];
    expect(one).not.toBe(other);
    expect(herd.driver.isSameVm?.(one, other) ?? false).toBe(false);
    expect([one, other].map((id) => herd.driver.isVmId?.(id) ?? true)).toEqual([true, true]);
  });

  test('a VM that no other machine may touch by naming it: FailedPrecondition, never NotFound', async () => {
    const { request, answer } = await made();
    const thief = recorded(herd.request(), answer);
    const { driver } = herd;
    const attempts = [
      () => driver.deleteMachine(thief),
      () => driver.retainMachine?.(thief),
      () => driver.updateMachine?.({ ...thief, applied: {} }),
      () => driver.initializeMachine?.(thief),
      () => driver.claimMachine?.({ ...thief, from: ownerIn(thief) }),
    ];
    for (const attempt of attempts) {
      const call = attempt();
      if (call) expect((await errorOf(call)).code).toBe('FailedPrecondition');
    }
    expect((await herd.status(thief))?.owner).toEqual(ownerIn(request));
    expect((await herd.listed(request))?.map(({ retained }) => retained)).toEqual([undefined]);
    expect(await ownersOf(request)).toEqual([ownerIn(request)]);
  });

  test('a VM that its restored machine finds by its name instead of making a second one', async () => {
    const { request, answer } = await made();
    const again = restored(request);
    expect((await herd.status(again))?.owner).toEqual(ownerIn(request));
    await herd.driver.deleteMachine(again);
    const { providerID, owner } = await herd.driver.createMachine(again);
    expect([providerID, owner]).toEqual([answer.providerID, ownerIn(request)]);
    expect(await ownersOf(request)).toEqual([ownerIn(request)]);
  });

  test('a VM anew for its restored machine, once and again; the one before has lost it', async () => {
    const { request, answer } = await made();
    const again = recorded(restored(request), answer);
    expect((await errorOf(herd.driver.deleteMachine(again))).code).toBe('FailedPrecondition');
    for (const _ of ['once', 'again'])
      expect(await herd.driver.claimMachine?.({ ...again, from: ownerIn(request) })).toMatchObject({
        providerID: answer.providerID,
        owner: ownerIn(again),
      });
    expect((await errorOf(herd.driver.deleteMachine(recorded(request, answer)))).code).toBe('FailedPrecondition');
    expect(
      (
        await errorOf(
          herd.driver.claimMachine?.({
            ...again,
            token: 'x',
            machine: restored(again).machine,
            from: ownerIn(request),
          }),
        )
      ).code,
    ).toBe('FailedPrecondition');
    await herd.remove(again, answer);
    expect(await ownersOf(request)).toEqual([]);
  });

  test('a VM anew for its machine in a namespace that was moved to another installation, and for nobody else', async () => {
    const { request, answer } = await made();
    const there = { ...restored(request), incarnation: crypto.randomUUID() };
    expect(await herd.status(there)).toBeUndefined();
    const moved = { ...there, formerIncarnations: ['before that', request.incarnation] };
    expect((await herd.status(moved))?.owner).toEqual(ownerIn(request));
    const found = await herd.driver.createMachine(moved);
    expect([found.providerID, found.owner]).toEqual([answer.providerID, ownerIn(request)]);
    const own = recorded(moved, answer);
    expect((await errorOf(herd.driver.deleteMachine(own))).code).toBe('FailedPrecondition');
    await herd.driver.claimMachine?.({ ...own, from: ownerIn(request) });
    expect(await ownersOf(request)).toEqual([ownerIn(moved)]);
    expect((await errorOf(herd.driver.deleteMachine(recorded(request, answer)))).code).toBe('FailedPrecondition');
    await herd.remove(own, answer);
    expect(await ownersOf(request)).toEqual([]);
  });

  test('a VM that no machine of the same name in another installation or namespace takes for its own', async () => {
    const { request, answer } = await made();
    const elsewhere = { ...recorded(request, answer), incarnation: crypto.randomUUID() };
    const { machine } = recorded(request, answer);
    const neighbour = { ...request, machine: { ...machine, metadata: { ...machine.metadata, namespace: 'next' } } };
    for (const thief of [elsewhere, neighbour])
      expect((await errorOf(herd.driver.deleteMachine(thief))).code).toBe('FailedPrecondition');
    expect(await ownersOf(request)).toEqual([ownerIn(request)]);
  });
}
