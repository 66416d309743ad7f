import { describe, expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { useHerd } from './support/herdfixture.ts';

const herd = useHerd();

type Fault = { method: string; answer: string; times?: number; effect?: boolean };

const get = (name: string): Promise<Machine> => herd.api.get(resources.machines, { namespace: herd.namespace, name });
const errorOf = async (name: string) => (await get(name)).status?.lastOperation?.errorCode;
const whenPhase = (name: string, phase: string) =>
  herd.kubectl('wait', `mc/${name}`, `--for=jsonpath={.status.currentStatus.phase}=${phase}`, '--timeout=45s');
const nameOf = (code: string) => `m-${code.toLowerCase()}`;

/** Makes a Machine of a class of its own, the calls of which fail so. */
async function makeWith(name: string, fault: Fault): Promise<void> {
  await herd.makeClass(name, { faults: { calls: [fault] } });
  await herd.apply(herd.alone(name, name));
}

/** Makes a Machine for each code, of which one call of the method is answered so. */
const makeOf = (method: string, codes: readonly string[]) =>
  Promise.all(codes.map((answer) => makeWith(nameOf(answer), { method, answer, times: 1 })));

const SOON = ['Unknown', 'DeadlineExceeded', 'Aborted', 'Unavailable'];
const LATER = ['ResourceExhausted', 'Internal', 'InvalidArgument'];

describe('hack/spec/mcm.md Annex B, create error retry:', () => {
  test('what may pass is tried again soon, a lack of room and what a person must mend are not', async () => {
    await makeOf('createMachine', [...SOON, ...LATER]);
    for (const code of SOON) await whenPhase(nameOf(code), 'Running');
    for (const code of LATER) {
      expect((await get(nameOf(code))).status?.currentStatus?.phase).toBe('CrashLoopBackOff');
      expect(await errorOf(nameOf(code))).toBe(code);
    }
  });
});

describe('hack/spec/mcm.md Annex B, delete error retry:', () => {
  test('what may pass is tried again soon, NotFound proceeds, the rest waits', async () => {
    const rest = ['ResourceExhausted', 'PermissionDenied'];
    await makeOf('deleteMachine', [...SOON, ...rest]);
    await makeWith('m-notfound', { method: 'deleteMachine', answer: 'NotFound', times: 1, effect: true });
    await herd.whenRunning(SOON.length + rest.length + 1);
    await herd.kubectl('delete', 'mc', '--all', '--wait=false');
    const whenGone = (code: string, time: string) =>
      herd.kubectl('wait', `mc/${nameOf(code)}`, '--for=delete', `--timeout=${time}`);
    for (const code of SOON) await whenGone(code, '20s');
    // Its Node is Ready: it is denied for a minute before that is believed (hack/decisions/0055).
    await whenGone('NotFound', '90s');
    for (const code of rest) {
      expect((await get(nameOf(code))).status).toMatchObject({
        currentStatus: { phase: 'Terminating' },
        currentStep: { name: 'VMDeleted', reason: code },
      });
      await herd.makeClass(nameOf(code), { tags: { mended: 'yes' } });
    }
    await herd.whenRunning(0);
  }, 180_000);
});

describe('hack/spec/cluster-api.md A1.12 L8: a VM of which nothing is known', () => {
  test('is not made: no VM comes while the driver cannot say how it stands', async () => {
    await makeWith('m', { method: 'getMachineStatus', answer: 'Unavailable' });
    await whenPhase('m', 'CrashLoopBackOff');
    await herd.apply(herd.alone('known', 'small'));
    await whenPhase('known', 'Running');
    const machine = await get('m');
    expect(machine.spec?.providerID).toBeFalsy();
    expect((await herd.vms()).map(({ metadata }) => metadata.name)).not.toContain(machine.metadata.uid);
    await herd.makeClass('m');
    await herd.whenRunning(2);
  });

  test('is asked after when the answer of its creation was lost, and is the only one', async () => {
    await makeWith('m', { method: 'createMachine', answer: 'Unavailable', times: 1, effect: true });
    await whenPhase('m', 'Running');
    const machine = await get('m');
    expect((await herd.vms()).map(({ metadata }) => metadata.name)).toEqual([machine.metadata.uid ?? '']);
    expect(machine.spec?.providerID).toBe(`virtual:///${machine.metadata.uid}`);
  });

  test('is not forgotten: its machine stays while the driver cannot say that it is gone', async () => {
    await makeWith('m', { method: 'deleteMachine', answer: 'Unavailable', effect: true });
    await herd.whenRunning(1);
    await herd.kubectl('delete', 'mc/m', '--wait=false');
    await herd.whenDecided('m', 'Unavailable');
    await herd.eventually('the VM to go', async () => (await herd.vms()).length === 0);
    expect((await get('m')).metadata.finalizers).toHaveLength(1);
    await herd.makeClass('m', { tags: { mended: 'yes' } });
    await herd.whenRunning(0);
  });
});
