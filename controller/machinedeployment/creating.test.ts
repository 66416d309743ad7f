import { expect, test } from 'bun:test';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { machineDeployment } from '../../test/fixtures/objects.ts';
import { ApiError } from '../runtime/client/errors.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { createSet } from './creating.ts';
import { newSet } from './flow/revision.ts';
import { setOf, view } from './flow/view.fixture.ts';
import { numbersOf } from './flow/view.ts';

const older = machineDeployment({ spec: { template: { spec: { class: { name: 'old' } } } } });

/** Makes the set of a deployment of generation 7; answers what the status and events say then, and what was thrown. */
async function made(create: (set: MachineSet) => Promise<MachineSet>) {
  const deployment = machineDeployment({ metadata: { generation: 7, resourceVersion: '1' } });
  const set = newSet(deployment, [], { ...numbersOf(deployment), initial: 1 });
  const statuses: Array<NonNullable<MachineDeployment['status']>> = [];
  const told: string[] = [];
  const patch = async (_resource: unknown, _ref: unknown, { body }: { body: MachineDeployment }) => {
    statuses.push(body.status ?? {});
    return deployment;
  };
  const maker = {
    setWrites: {
      api: { create: (_resource: unknown, one: MachineSet) => create(one) },
      cache: new Cache<MachineSet>(),
    },
    deploymentWrites: { api: { patch }, resource: {}, cache: new Cache<MachineDeployment>() },
    events: { record: (_object: unknown, { reason }: { reason: string }) => told.push(reason) },
  };
  const old = setOf(older, 'old', { wants: 3 });
  const thrown = await createSet(maker as never, view(deployment, [old]), set).then(
    () => undefined,
    (error: Error) => error.message,
  );
  const [status] = statuses;
  const progress = status?.conditions?.find(({ type }) => type === 'Progressing');
  return {
    thrown,
    told,
    observed: status?.observedGeneration,
    progress: progress && `${progress.status} ${progress.reason}: ${progress.message}`,
  };
}

test('a set that was made is told in MCM’s words', async () => {
  expect(await made(async (set) => ({ ...set, metadata: { ...set.metadata, resourceVersion: '2' } }))).toEqual({
    thrown: undefined,
    told: ['ScalingMachineSet'],
    observed: 7,
    progress: expect.stringMatching(/^True NewMachineSetCreated: Created machine set pool-\w{5}$/) as never,
  });
});

test('a set that may not be made is told, with the generation that asked for it', async () => {
  const refused = new ApiError('create machinesets in herd: 403 Forbidden: exceeded quota', {
    status: 403,
    reason: 'Forbidden',
  });
  const outcome = await made(() => Promise.reject(refused));
  expect(outcome).toEqual({
    thrown: refused.message,
    told: ['MachineSetCreateError'],
    observed: 7,
    progress: expect.stringMatching(
      /^False MachineSetCreateError: Failed to create machine set pool-\w{5}: .*exceeded quota$/,
    ) as never,
  });
});
