import { describe, expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import { failure, scale, settle, staying, strip } from './settling.fixture.ts';
import { type SetStage, setStage } from './stage.fixture.ts';

// hack/decisions/0051 S23: who was not let go after all used up what may be let go in an hour, and was told as let go.
describe('machines whose labels are stripped, and that may not be let go', () => {
  const stripped = async (kept: (name: string) => boolean) => {
    const stage = await setStage();
    await settle(stage);
    await strip(stage);
    const isKept = (request: string) => kept(request.split('/machines/')[1] ?? '');
    stage.refuse((request) => (request.startsWith('PATCH') && isKept(request) ? 'it is protected' : undefined));
    return { stage, names: await staying(stage) };
  };
  const owned = async ({ api }: SetStage) =>
    (await api.list(resources.machines)).items.filter(({ metadata }) => metadata.ownerReferences?.length).length;

  test('are not counted, and get no replacement', async () => {
    const { stage } = await stripped((name) => name !== '');
    for (let minutes = 0; minutes < 3; minutes += 1) {
      await settle(stage);
      expect((await stage.set()).status?.releases).toBeUndefined();
      expect([await owned(stage), (await staying(stage)).length]).toEqual([3, 3]);
      expect(await failure(stage)).toMatch(/^FailedUpdate: .* it is protected/);
      stage.clock.after(60_000, () => {});
      stage.clock.step(stage.clock.now() + 60_000);
    }
    stage.refuse(() => undefined);
    await settle(stage);
    expect((await stage.set()).status?.releases?.machines).toBe(1);
    expect([await owned(stage), (await staying(stage)).length]).toEqual([3, 4]);
  });

  test('keep no other from being let go', async () => {
    const { stage, names } = await stripped(() => false);
    stage.refuse((request) =>
      request.startsWith('PATCH') && request.endsWith(`/${names[0]}`) ? 'it is protected' : undefined,
    );
    await settle(stage);
    expect((await stage.set()).status?.releases?.machines).toBe(1);
    expect([await owned(stage), (await staying(stage)).length]).toEqual([3, 4]);
  });

  test('are told in the pass in which that is refused (hack/decisions/0051 L51)', async () => {
    const { stage } = await stripped((name) => name !== '');
    await stage.catchUp();
    await expect(stage.controller.reconcile('herd/set')).rejects.toThrow('it is protected');
    expect(await failure(stage)).toMatch(/^FailedUpdate: .* it is protected/);
    expect((await stage.set()).status?.releases).toBeUndefined();
  });

  test('are told later if somebody changes the set meanwhile: what is thrown is why (hack/decisions/0051 L51)', async () => {
    const { stage } = await stripped(() => false);
    await stage.catchUp();
    let changed: Promise<unknown> | undefined;
    stage.refuse((request) => {
      if (!request.startsWith('PATCH') || !request.includes('/machines/')) return undefined;
      changed ??= scale(stage, 4);
      return 'it is protected';
    });
    await expect(stage.controller.reconcile('herd/set')).rejects.toThrow('it is protected');
    await changed;
    const { metadata, status } = await stage.set();
    expect([metadata.generation, status?.observedGeneration]).toEqual([2, 1]);
    expect(await failure(stage)).not.toMatch('FailedUpdate');
  });
});
