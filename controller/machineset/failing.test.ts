import { describe, expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import { machineSet } from '../../test/fixtures/objects.ts';
import { failure, guarded, scale, settle, staying, strip } from './settling.fixture.ts';
import { type SetStage, setStage } from './stage.fixture.ts';

const STATUS = { subresource: 'status' };

const deletionOf = (name: string) => `DELETE /apis/machine.sapcloud.io/v1alpha1/namespaces/herd/machines/${name}`;

describe('a machine that may not be deleted (hack/decisions/0051 S6)', () => {
  test('keeps no other from being deleted', async () => {
    const { stage, protege } = await guarded();
    await scale(stage, 0);
    await settle(stage);
    expect(await staying(stage)).toEqual([protege]);
    expect(await failure(stage)).toBe(
      `FailedDelete: delete machines herd/${protege}: 403 Forbidden: ${protege} is protected`,
    );
  });

  test('keeps none from being made, and is tried again', async () => {
    const { stage, protege } = await guarded();
    const ref = { namespace: 'herd', name: protege };
    const status = { currentStatus: { phase: 'Failed' } };
    await stage.api.patch(resources.machines, ref, { type: 'merge', body: { status } }, { subresource: 'status' });
    await scale(stage, 5);
    await settle(stage);
    expect(await staying(stage)).toHaveLength(5);
    const { after = Infinity } = await stage.controller.reconcile('herd/set');
    expect(after).toBeLessThanOrEqual(60_000);
    stage.refuse(() => undefined);
    stage.clock.after(60_000, () => {});
    stage.clock.step(stage.clock.now() + 60_000);
    await settle(stage);
    expect(await staying(stage)).not.toContain(protege);
    expect(await failure(stage)).toBeUndefined();
  });

  test('is told of no longer once it need not go (hack/decisions/0051 S8)', async () => {
    const { stage } = await guarded();
    await scale(stage, 0);
    await settle(stage);
    await scale(stage, 1);
    await settle(stage);
    expect(await failure(stage)).toBeUndefined();
  });

  test('is still told of when more are deleted than one pass does (hack/decisions/0051 L49)', async () => {
    const stage = await setStage(machineSet({ spec: { replicas: 120 } }));
    await settle(stage);
    const [protege = '', ...others] = await staying(stage);
    const running = { status: { currentStatus: { phase: 'Running' } } };
    for (const name of others)
      await stage.api.patch(resources.machines, { namespace: 'herd', name }, { type: 'merge', body: running }, STATUS);
    stage.refuse((request) => (request === deletionOf(protege) ? `${protege} is protected` : undefined));
    await scale(stage, 0);
    await settle(stage);
    expect(await staying(stage)).toEqual([protege]);
    expect(await failure(stage)).toMatch(/^FailedDelete: .* is protected$/);
  });

  test('is still told of when one could not be made meanwhile (hack/decisions/0051 L49)', async () => {
    const { stage, protege } = await guarded();
    const ref = { namespace: 'herd', name: protege };
    const failed = { status: { currentStatus: { phase: 'Failed' } } };
    await stage.api.patch(resources.machines, ref, { type: 'merge', body: failed }, STATUS);
    stage.refuse((request) => {
      if (request === deletionOf(protege)) return `${protege} is protected`;
      return request.startsWith('POST') ? 'exceeded quota' : undefined;
    });
    await scale(stage, 4);
    await settle(stage);
    expect(await failure(stage)).toMatch(/^FailedCreate: .* exceeded quota$/);
    stage.refuse((request) => (request === deletionOf(protege) ? `${protege} is protected` : undefined));
    await settle(stage);
    expect(await failure(stage)).toMatch(/^FailedDelete: .* is protected$/);
  });

  test('does not keep its set, which is deleted, from deleting the others', async () => {
    const { stage, protege } = await guarded();
    await stage.api.delete(resources.machineSets, { namespace: 'herd', name: 'set' });
    await settle(stage);
    expect(await staying(stage)).toEqual([protege]);
  });
});

// hack/decisions/0051 S27: only the log told of it.
test('a set that may not be changed itself says so', async () => {
  const stage = await setStage();
  await settle(stage);
  stage.refuse((request) => (request === `PATCH ${SET}` ? 'it is protected' : undefined));
  await stage.api.delete(resources.machineSets, { namespace: 'herd', name: 'set' });
  await settle(stage);
  await letGo(stage);
  await settle(stage);
  expect(await failure(stage)).toBe('FailedUpdate: patch machinesets herd/set: 403 Forbidden: it is protected');
});

const SET = '/apis/machine.sapcloud.io/v1alpha1/namespaces/herd/machinesets/set';

test('a set that is deleted deletes no machine that was let go and that its cache shows as its own (hack/decisions/0051 L16)', async () => {
  const stage = await setStage();
  await settle(stage);
  await stage.api.delete(resources.machineSets, { namespace: 'herd', name: 'set' });
  const names = await staying(stage);
  await stage.catchUp();
  for (const name of names)
    await stage.api.patch(
      resources.machines,
      { namespace: 'herd', name },
      { type: 'merge', body: { metadata: { ownerReferences: null } } },
    );
  await stage.controller.reconcile('herd/set');
  expect(await staying(stage)).toEqual(names);
});

test('a machine whose settings may not be changed keeps none from being made (hack/decisions/0051 S6)', async () => {
  const stage = await setStage();
  await settle(stage);
  const [protege = ''] = await staying(stage);
  stage.refuse((request) =>
    request.startsWith('PATCH') && request.endsWith(`/${protege}`) ? 'it is protected' : undefined,
  );
  const spec = { replicas: 4, template: { spec: { drainTimeout: '1h0m0s' } } };
  await stage.api.patch(resources.machineSets, { namespace: 'herd', name: 'set' }, { type: 'merge', body: { spec } });
  await settle(stage);
  const { items } = await stage.api.list(resources.machines);
  expect(items.filter(({ spec: found }) => found?.drainTimeout === '1h0m0s')).toHaveLength(3);
  expect(items).toHaveLength(4);
  expect(await failure(stage)).toBe(`FailedUpdate: patch machines herd/${protege}: 403 Forbidden: it is protected`);
  stage.refuse(() => undefined);
  stage.clock.after(60_000, () => {});
  stage.clock.step(stage.clock.now() + 60_000);
  await settle(stage);
  expect(await failure(stage)).toBeUndefined();
});

describe('what kept machines from being made (hack/decisions/0051 S8)', () => {
  const full = async () => {
    const stage = await setStage(machineSet({ spec: { replicas: 1 } }));
    await settle(stage);
    stage.refuse((request) => (request.startsWith('POST') ? 'exceeded quota: 1' : undefined));
    await scale(stage, 2);
    await settle(stage);
    return stage;
  };

  test('is told, in the words of the last time', async () => {
    const stage = await full();
    expect(await failure(stage)).toBe('FailedCreate: create machines in herd: 403 Forbidden: exceeded quota: 1');
    stage.refuse((request) => (request.startsWith('POST') ? 'exceeded quota: 2' : undefined));
    await settle(stage);
    expect(await failure(stage)).toBe('FailedCreate: create machines in herd: 403 Forbidden: exceeded quota: 2');
  });

  test('is told no longer once nothing is to be made', async () => {
    const stage = await full();
    await scale(stage, 1);
    await settle(stage);
    expect(await failure(stage)).toBeUndefined();
  });

  test('is still told after something else succeeded', async () => {
    const stage = await full();
    const spec = { template: { spec: { drainTimeout: '1h0m0s' } } };
    await stage.api.patch(resources.machineSets, { namespace: 'herd', name: 'set' }, { type: 'merge', body: { spec } });
    await settle(stage);
    expect((await stage.api.list(resources.machines)).items[0]?.spec?.drainTimeout).toBe('1h0m0s');
    expect(await failure(stage)).toBe('FailedCreate: create machines in herd: 403 Forbidden: exceeded quota: 1');
  });
});

test('of the machines that are replaced those count as stale that had run (hack/decisions/0051 S19e, hack/spec/mcm.md 5.4)', async () => {
  const stage = await setStage();
  await settle(stage);
  const types = ['HealthCheck', 'Create', 'Create'];
  for (const [index, name] of (await staying(stage)).entries()) {
    const lastOperation = { type: types[index], state: 'Failed' };
    const status = { currentStatus: { phase: 'Failed' }, lastOperation };
    const ref = { namespace: 'herd', name };
    await stage.api.patch(resources.machines, ref, { type: 'merge', body: { status } }, { subresource: 'status' });
  }
  await settle(stage);
  expect(await stage.metrics.text()).toContain('mcm_machine_stale_machines_total 1');
});

test('a set that is emptied and filled again gives its machines other names, also if somebody else deletes them (hack/decisions/0051 S18)', async () => {
  const stage = await setStage();
  const names: string[] = [];
  for (const empty of [() => scale(stage, 0), () => deleteAll(stage), () => scale(stage, 0)]) {
    await scale(stage, 3);
    await settle(stage);
    names.push(...(await staying(stage)));
    await empty();
    await settle(stage);
    await letGo(stage);
  }
  expect(new Set(names).size).toBe(9);
});

async function deleteAll(stage: SetStage): Promise<void> {
  for (const name of await staying(stage)) await stage.api.delete(resources.machines, { namespace: 'herd', name });
}

/** All machines that leave are gone. */
async function letGo({ api, catchUp }: SetStage): Promise<void> {
  const { items } = await api.list(resources.machines);
  for (const { metadata } of items)
    if (metadata.deletionTimestamp)
      await api.patch(resources.machines, metadata, { type: 'merge', body: { metadata: { finalizers: null } } });
  await catchUp();
}

// Each machine whose labels were stripped kept its VM and got a replacement.
describe('a herd whose labels are stripped (hack/decisions/0051 S19g)', () => {
  test('is let go and replaced by a share in an hour, and a condition says why', async () => {
    const stage = await setStage(machineSet({ spec: { replicas: 20 } }));
    await settle(stage);
    await strip(stage);
    await settle(stage);
    expect(await staying(stage)).toHaveLength(22);
    expect(await failure(stage)).toMatch(
      /^ReleaseLimitExceeded: the labels of \S+ and 17 others no longer match the selector: 2 were let go since .*, at most 2 an hour are, and none is made in their place$/,
    );
    const { after = Infinity } = await stage.controller.reconcile('herd/set');
    expect(after).toBeLessThanOrEqual(3_600_000);
    stage.clock.after(3_600_000, () => {});
    stage.clock.step(stage.clock.now() + 3_600_000);
    await settle(stage);
    expect(await staying(stage)).toHaveLength(24);
  });

  test('is let go where nothing is made in its place', async () => {
    const stage = await setStage();
    await settle(stage);
    await strip(stage);
    await scale(stage, 0);
    await settle(stage);
    const { items } = await stage.api.list(resources.machines);
    expect(items.map(({ metadata }) => metadata.ownerReferences?.length ?? 0)).toEqual([0, 0, 0]);
    expect(await failure(stage)).toBeUndefined();
  });
});

// hack/decisions/0051 S19c: it asked the API server again and again, as fast as that answered.
test('a set that may adopt nobody, as its cache does not show yet, waits until that shows', async () => {
  const stage = await setStage();
  await settle(stage);
  for (const name of await staying(stage))
    await stage.api.patch(
      resources.machines,
      { namespace: 'herd', name },
      { type: 'merge', body: { metadata: { ownerReferences: null } } },
    );
  await stage.catchUp();
  await stage.api.delete(resources.machineSets, { namespace: 'herd', name: 'set' });
  const { expectations = [] } = await stage.controller.reconcile('herd/set');
  let isSeen = false;
  const seen = Promise.all(expectations).then(() => {
    isSeen = true;
  });
  await stage.api.list(resources.machines);
  expect([expectations.length, isSeen]).toEqual([1, false]);
  await stage.catchUp();
  await seen;
});

test('a machine that loses its owner reference is taken in again, and none is made in its place (hack/decisions/0051 S19g)', async () => {
  const stage = await setStage();
  await settle(stage);
  const names = await staying(stage);
  for (const name of names)
    await stage.api.patch(
      resources.machines,
      { namespace: 'herd', name },
      { type: 'merge', body: { metadata: { ownerReferences: null } } },
    );
  await settle(stage);
  expect(await staying(stage)).toEqual(names);
  const { items } = await stage.api.list(resources.machines);
  expect(items.filter(({ metadata }) => metadata.ownerReferences?.[0]?.name === 'set')).toHaveLength(names.length);
});
