import { resources } from '../../schemas/kinds.ts';
import { machineSet } from '../../test/fixtures/objects.ts';
import { type SetStage, setStage } from './stage.fixture.ts';

/** Passes until nothing more is to be done, or a pass fails twice in a row. */
export async function settle({ controller, catchUp }: SetStage): Promise<void> {
  for (let failures = 0, pass = 0; failures < 2 && pass < 20; pass += 1) {
    await catchUp();
    const done = await controller.reconcile('herd/set').catch(() => undefined);
    if (done && done.after !== 0) break;
    failures = done ? 0 : failures + 1;
  }
  await catchUp();
}

/** Writes another number of replicas. */
export const scale = ({ api }: SetStage, replicas: number) =>
  api.patch(resources.machineSets, { namespace: 'herd', name: 'set' }, { type: 'merge', body: { spec: { replicas } } });

/** Names of machines that are not deleted. */
export const staying = async ({ api }: SetStage) =>
  (await api.list(resources.machines)).items
    .filter(({ metadata }) => !metadata.deletionTimestamp)
    .map(({ metadata }) => metadata.name);

/** What the condition ReplicaFailure says, if it is there. */
export const failure = async (stage: SetStage) => {
  const { status } = await stage.set();
  const { reason, message } = status?.machineSetCondition?.find(({ type }) => type === 'ReplicaFailure') ?? {};
  return reason && `${reason}: ${message}`;
};

/** Three machines, of which the server refuses to delete the first. */
export async function guarded(): Promise<{ stage: SetStage; protege: string }> {
  const stage = await setStage();
  await settle(stage);
  const [protege = ''] = await staying(stage);
  stage.refuse((request) =>
    request === `DELETE /apis/machine.sapcloud.io/v1alpha1/namespaces/herd/machines/${protege}`
      ? `${protege} is protected`
      : undefined,
  );
  return { stage, protege };
}

/** Takes the labels of the template off the machines, all of which run. */
export const strip = async (stage: SetStage) => {
  const keys = Object.keys(machineSet().spec?.template?.metadata?.labels ?? {});
  const labels = Object.fromEntries(keys.map((key) => [key, null]));
  const status = { currentStatus: { phase: 'Running' } };
  for (const name of await staying(stage)) {
    const ref = { namespace: 'herd', name };
    await stage.api.patch(resources.machines, ref, { type: 'merge', body: { metadata: { labels } } });
    await stage.api.patch(resources.machines, ref, { type: 'merge', body: { status } }, { subresource: 'status' });
  }
};
