import { describe, expect, test } from 'bun:test';
import { resources } from '../../schemas/kinds.ts';
import { useHerd } from './support/herdfixture.ts';

const herd = useHerd();

const deployment = () => herd.api.get(resources.machineDeployments, { namespace: herd.namespace, name: 'pool' });
const patch = (spec: object, metadata: object = {}) =>
  herd.kubectl('patch', 'mcd/pool', '--type=merge', '-p', JSON.stringify({ metadata, spec }));
const classed = (name: string, more: object = {}) => ({
  template: { spec: { class: { kind: 'MachineClass', name }, ...more } },
});
const told = async (reason: string) => (await herd.events()).includes(` ${reason} `);

/** Waits until every one of the machines is of the class. */
async function whenOf(name: string, count: number) {
  await herd.eventually(`machines of ${name}`, async () => {
    const classes = (await herd.machines()).map(({ spec }) => spec?.class?.name);
    return classes.length === count && classes.every((one) => one === name);
  });
  return herd.whenRunning(count);
}

describe('a rollback of a MachineDeployment (hack/spec/mcm.md 4.8)', () => {
  test('goes to the revision before, to one by number, and takes the wish off each time', async () => {
    for (const name of ['large', 'huge']) await herd.makeClass(name);
    await herd.makeDeployment({ replicas: 2 });
    await herd.whenRunning(2);
    await patch(classed('large', { drainTimeout: '42m' }));
    await whenOf('large', 2);
    await patch(classed('huge'));
    await whenOf('huge', 2);
    await patch({ rollbackTo: {} });
    await whenOf('large', 2);
    const { spec, metadata } = await deployment();
    expect([spec.rollbackTo, spec.template.spec?.drainTimeout, spec.template.metadata?.labels]).toEqual([
      undefined,
      '42m',
      { pool: 'pool' },
    ]);
    expect(metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('4');
    await patch({ rollbackTo: { revision: 1 } });
    await whenOf('small', 2);
    expect((await deployment()).spec.template.spec?.drainTimeout).toBeUndefined();
    expect((await herd.sets()).length).toBe(3);
    await herd.eventually('the event', () => told('DeploymentRollback'));
  });

  test('that goes nowhere says so, changes nothing, and takes the wish off', async () => {
    await herd.makeDeployment({ replicas: 1 });
    const before = await herd.whenRunning(1);
    for (const [revision, reason] of [
      [1, 'DeploymentRollbackTemplateUnchanged'],
      [7, 'DeploymentRollbackRevisionNotFound'],
    ] as const) {
      await patch({ rollbackTo: { revision } });
      await herd.eventually('the wish to be gone', async () => (await deployment()).spec.rollbackTo === undefined);
      await herd.eventually('the event', () => told(reason));
    }
    expect((await herd.whenRunning(1)).map(({ metadata }) => metadata.uid)).toEqual(
      before.map(({ metadata }) => metadata.uid),
    );
  });

  test('of a paused deployment waits until it is resumed', async () => {
    await herd.makeClass('large');
    await herd.makeDeployment({ replicas: 1 });
    await herd.whenRunning(1);
    await patch(classed('large'));
    await whenOf('large', 1);
    await patch({ paused: true, rollbackTo: { revision: 1 } });
    await herd.kubectl('wait', 'mcd/pool', '--for=condition=Progressing=Unknown', '--timeout=45s');
    expect((await deployment()).spec.rollbackTo).toEqual({ revision: 1 });
    await patch({ paused: null });
    await whenOf('small', 1);
  });
});
