import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Api, type Connection } from '../../controller/runtime/client/api.ts';
import { isNotFound } from '../../controller/runtime/client/errors.ts';
import { pathOf } from '../../controller/runtime/client/requests.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { until } from '../../hack/lib/until.ts';
import { resources } from '../../schemas/kinds.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import { machineOf } from '../admission/among.ts';
import { smallClass } from '../admission/facts.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { type Said, say } from './support/response.ts';
import { admitHerders, startRegistered, type WebhookProcess } from './support/webhookprocess.ts';

/** A class from its first machine to its last: what of it may change, as the API server answers. */

const { machineClasses, machines } = resources;

let cluster: OwnCluster;
let webhook: WebhookProcess;
let namespace: string;
let api: Api;
let alice: Connection;

beforeAll(async () => {
  cluster = await ownControlPlane();
  namespace = await cluster.namespace('classes');
  await admitHerders(cluster);
  webhook = await startRegistered(cluster);
  api = new Api({ connection: cluster.admin, clock });
  alice = (await cluster.user('alice')).connection;
  await api.create(machineClasses, { ...smallClass, metadata: { name: 'small', namespace } });
}, 180_000);

afterAll(async () => {
  await webhook?.stop();
  await cluster?.end();
});

/** Writes the class with another providerSpec. */
async function change(providerSpec: MachineClass['providerSpec']): Promise<Said> {
  const stored = await api.get(machineClasses, { namespace, name: 'small' });
  const path = `${pathOf(machineClasses, { namespace })}/small`;
  const object: MachineClass = { ...stored, providerSpec };
  return say(alice, { method: 'PUT', path, object });
}

let tries = 0;

/** Changes again and again what VMs do not follow, each time to another value, until the answer has this code. */
const changeUntil = (code: number): Promise<Said> =>
  until(
    `a change to be answered by ${code}`,
    async () => {
      const said = await change({ node: { labels: { try: String(tries++) } } });
      return said.code === code ? said : undefined;
    },
    { timeoutMs: 10_000 },
  );

test('a change that VMs would not follow is refused or told of, from the moment at which there is a machine', async () => {
  const machine = machineOf('one');
  await api.create(machines, { ...machine, metadata: { ...machine.metadata, namespace } });
  const { code, warnings } = await change({ initialize: true });
  expect([200, 422]).toContain(code);
  expect(warnings.length).toBe(code === 200 ? 1 : 0);
});

test('it is refused once the machine has been seen', async () => {
  const { body } = await changeUntil(422);
  expect(body.details?.causes?.map(({ field }) => field)).toContain('providerSpec.node');
});

test('what VMs follow may change', async () => {
  const { providerSpec } = await api.get(machineClasses, { namespace, name: 'small' });
  expect(await change({ ...providerSpec, tags: { team: 'blue' } })).toMatchObject({ code: 200, warnings: [] });
});

test('everything may change once the machine is gone', async () => {
  await api.delete(machines, { namespace, name: 'one' });
  const { warnings } = await changeUntil(200);
  expect(warnings).toEqual([expect.stringContaining('no machine was seen that uses the class')]);
});

test('a class in use may be deleted', async () => {
  const machine = machineOf('two');
  await api.create(machines, { ...machine, metadata: { ...machine.metadata, namespace } });
  await changeUntil(422);
  await api.delete(machineClasses, { namespace, name: 'small' });
  const gone = await api.get(machineClasses, { namespace, name: 'small' }).catch(isNotFound);
  expect(gone).toBe(true);
});
