import { describe, expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import { guarded, scale, settle, staying } from './settling.fixture.ts';
import { type SetStage, setStage } from './stage.fixture.ts';

// hack/decisions/0051 S22: what was refused was remembered by machine alone, and the change was tried before each deletion.
describe('a machine that may not be changed, and may be deleted', () => {
  const unchangeable = async () => {
    const stage = await setStage();
    await settle(stage);
    const [protege = ''] = await staying(stage);
    stage.refuse((request) =>
      request.startsWith('PATCH') && request.endsWith(`/${protege}`) ? 'it is protected' : undefined,
    );
    return { stage, protege };
  };
  const change = ({ api }: SetStage, spec: object) =>
    api.patch(resources.machineSets, { namespace: 'herd', name: 'set' }, { type: 'merge', body: { spec } });

  test('is deleted with the others, also by a change that brings another setting', async () => {
    const { stage } = await unchangeable();
    await change(stage, { replicas: 0, template: { spec: { drainTimeout: '1h0m0s' } } });
    await settle(stage);
    expect(await staying(stage)).toEqual([]);
  });

  test('is replaced once it has failed, and goes where its set is too large', async () => {
    const { stage, protege } = await unchangeable();
    await failed(stage, protege);
    await change(stage, { replicas: 2, template: { spec: { deletionPolicy: 'Retain' } } });
    await settle(stage);
    expect(await staying(stage)).toHaveLength(2);
    expect(await staying(stage)).not.toContain(protege);
  });

  test('is deleted with its set', async () => {
    const { stage } = await unchangeable();
    await change(stage, { template: { spec: { drainTimeout: '1h0m0s' } } });
    await settle(stage);
    await stage.api.delete(resources.machineSets, { namespace: 'herd', name: 'set' });
    await settle(stage);
    expect(await staying(stage)).toEqual([]);
  });
});

/** One machine has failed, and the others run. */
async function failed(stage: SetStage, one: string): Promise<void> {
  for (const name of await staying(stage)) {
    const body = { status: { currentStatus: { phase: name === one ? 'Failed' : 'Running' } } };
    const ref = { namespace: 'herd', name };
    await stage.api.patch(resources.machines, ref, { type: 'merge', body }, { subresource: 'status' });
  }
}

test('no other goes in the place of a machine that may not be deleted (hack/decisions/0051 S22)', async () => {
  const { stage, protege } = await guarded();
  await failed(stage, protege);
  await scale(stage, 2);
  await settle(stage);
  expect(await staying(stage)).toHaveLength(3);
});
