import { expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { machineDeployment, machineSet } from '../../test/fixtures/objects.ts';
import { ownedBy } from '../model/ownership.ts';
import { ApiError } from '../runtime/client/errors.ts';
import { setStage } from './stage.fixture.ts';

/** hack/decisions/0028 T51: sets asked for all names that all of their siblings had ever tried, one after the other. */

const SETS = 5;
const REPLICAS = 100;
const made = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'MachineSet' };

/** Sets of one owner, `herd/set-0` and so on, on a server that counts questions for Machines. */
async function siblings() {
  const owner = ownedBy(machineDeployment({ metadata: { uid: 'uid-pool' } }), 'MachineDeployment');
  const of = (at: number) => {
    const { metadata, spec } = machineSet({ spec: { replicas: REPLICAS } });
    return {
      metadata: { ...metadata, name: `set-${at}`, uid: `uid-${at}`, ownerReferences: [owner] },
      spec,
    } as MachineSet;
  };
  const stage = await setStage(of(0));
  for (let at = 1; at < SETS; at++) await stage.api.create(resources.machineSets, { ...made, ...of(at) });
  await stage.catchUp();
  const get = stage.api.get.bind(stage.api);
  let asked = 0;
  const counted: typeof get = (resource, ...rest) => {
    if ((resource as unknown) === resources.machines) asked += 1;
    return get(resource, ...rest);
  };
  Object.assign(stage.api, { get: counted });
  const look = async (at: number) => {
    asked = 0;
    const result = await stage.controller.reconcile(`herd/set-${at}`).catch((error: unknown) => error);
    return { asked, result };
  };
  return { ...stage, look };
}

test('a set that is refused machines asks for none of them, nor do its siblings', async () => {
  const { refuse, look } = await siblings();
  refuse((request) => (request.startsWith('POST') ? 'exceeded quota' : undefined));
  for (let at = 0; at < SETS; at++) expect((await look(at)).asked).toBe(0);
  expect((await look(0)).asked).toBe(0);
});

test('of machines that nobody has seen a sibling asks for some at a time, and goes on once none is there', async () => {
  const { api, look } = await siblings();
  const there = async () => (await api.list(resources.machines)).items;
  await look(0);
  for (const { metadata } of await there()) {
    await api.patch(resources.machines, metadata, { type: 'merge', body: { metadata: { finalizers: null } } });
    await api.delete(resources.machines, metadata);
  }
  expect(await look(1)).toEqual({ asked: 20, result: { after: 1_000 } });
  expect(await there()).toEqual([]);
  for (let tries = 0; tries < 4; tries++) await look(1);
  expect((await there()).length).toBe(REPLICAS);
});

test('a creation without an answer is asked for, and its machine found', async () => {
  const { api, look } = await siblings();
  const create = api.create.bind(api);
  const error = new ApiError('no answer', { reason: 'x', status: 0, mayHaveActed: true });
  const losing: typeof create = (...args) => create(...args).then(() => Promise.reject(error));
  Object.assign(api, { create: losing });
  await look(0);
  expect(await look(1)).toEqual({ asked: 1, result: { after: 1_000 } });
});

const taken = new ApiError('it is there', { reason: 'AlreadyExists', status: 409 });
const away = { code: 503, reason: 'ServiceUnavailable' };

test('one that is there, of which nobody could tell whose it is, counts until it is looked up (hack/decisions/0051 S31)', async () => {
  const { api, births, refuse, look, set } = await siblings();
  const create = api.create.bind(api);
  const late: typeof create = (...args) => create(...args).then(() => Promise.reject(taken));
  Object.assign(api, { create: late });
  refuse((request) => (request.startsWith('GET') ? 'etcd is away' : undefined), away);
  await look(0);
  refuse(() => undefined);
  expect(births.count(await set())).toBe(1);
  expect(await look(1)).toEqual({ asked: 1, result: { after: 1_000 } });
});

test('one that has gone when it is looked up counts no more', async () => {
  const { api, births, look, set } = await siblings();
  Object.assign(api, { create: () => Promise.reject(taken) });
  await look(0);
  expect(births.count(await set())).toBe(0);
});
