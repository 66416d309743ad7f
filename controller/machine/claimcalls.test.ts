import { describe, expect, test } from 'bun:test';
import type { Machine } from '../../schemas/machine.ts';
import { machine, machineClass } from '../../test/fixtures/objects.ts';
import type { ClaimRequest, Driver, VmOwner } from '../drivers/sdk/driver.ts';
import { driverCallsTo } from './calls/requests.fixture.ts';
import { recorded, view } from './flow/view.fixture.ts';

/** hack/decisions/0040: a VM is marked anew for the one who has its Machine's name now, and for nobody else. */

const BEFORE: VmOwner = { installation: 'here', namespace: 'herd', name: 'm', uid: 'before' };
const OWN: VmOwner = { ...BEFORE, uid: 'uid-m' };
const VM = { providerID: 'virtual:///uid-m', nodeName: 'm' };

/** What a call of a driver with these methods leaves behind; the API server knows this Machine under the name. */
async function after(methods: Partial<Driver>, method: 'claimMachine' | 'getMachineStatus', live?: Machine) {
  const formerIds = new Map([['herd', ['there']]]);
  const { clock, calls, driverCalls } = driverCallsTo(methods, { formerIds, lookUp: async () => live });
  const one = method === 'claimMachine' ? machine(recorded) : machine();
  const seen = view({ machine: one, class: { at: 'ours', class: machineClass() }, claim: { at: 'heir', of: BEFORE } });
  driverCalls.start(seen, method);
  await clock.advance(0);
  const { failure } = calls.fact({ uid: 'uid-m', key: 'herd/m', classKey: '', mark: '' });
  return { told: calls.reported('uid-m'), vm: calls.vm('uid-m').at, code: failure?.code };
}

describe('a VM of a predecessor', () => {
  const asked: ClaimRequest[] = [];
  const claimMachine = async (request: ClaimRequest) => {
    asked.push(request);
    return { ...VM, owner: OWN };
  };

  test('is marked anew, if it still has the mark that was seen', async () => {
    const { told, vm } = await after({ claimMachine }, 'claimMachine', machine());
    expect([told?.owner, vm]).toEqual([OWN, 'present']);
    expect(asked.splice(0)).toMatchObject([{ from: BEFORE, token: 'uid-m', formerIncarnations: ['there'] }]);
  });

  test.each([
    ['another Machine has the name by now', machine({ metadata: { uid: 'later' } })],
    ['no Machine has the name any more', undefined],
  ])('is not marked when %s', async (_what, live) => {
    expect((await after({ claimMachine }, 'claimMachine', live)).code).toBe('Aborted');
    expect(asked).toEqual([]);
  });

  test('stays as it is where the driver cannot mark anew', async () => {
    expect((await after({}, 'claimMachine', machine())).code).toBe('Unimplemented');
  });
});

describe('among the VMs of a list', () => {
  const list = (...owners: VmOwner[]) =>
    ({
      listMachines: async () =>
        owners.map((owner, at) => ({ providerID: `cloud:///${at + 1}`, machineName: owner.name, owner })),
    }) as Partial<Driver>;

  test.each<[string, VmOwner[], string | undefined]>([
    ['the one that is marked for the Machine is its own, whoever has its name', [BEFORE, OWN], 'cloud:///2'],
    ['the one of its predecessor is found by the name', [BEFORE], 'cloud:///1'],
    ['that of another namespace is not', [{ ...BEFORE, namespace: 'next' }], undefined],
    ['that of another installation is not', [{ ...BEFORE, installation: 'another' }], undefined],
    [
      'that of the one that the namespace was moved from is (0028 M6)',
      [{ ...BEFORE, installation: 'there' }],
      'cloud:///1',
    ],
    ['one of this installation comes before it', [{ ...BEFORE, installation: 'there' }, BEFORE], 'cloud:///2'],
    ['of another namespace of that one is not', [{ ...BEFORE, installation: 'there', namespace: 'next' }], undefined],
  ])('%s', async (_what, owners, id) => {
    expect((await after(list(...owners), 'getMachineStatus')).told?.providerID).toBe(id as string);
  });
});
