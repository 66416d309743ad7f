import { expect, test } from 'bun:test';
import { ANNOTATION_CLASS } from '../../schemas/keys.ts';
import { BORN, machine, machineClass } from '../../test/fixtures/objects.ts';
import type { Driver, MachineRequest } from '../driver.ts';
import { recordOf } from '../remembered.ts';
import { Cache } from '../runtime/cache.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import type { Secret } from '../runtime/core.ts';
import { callsFor } from './calls.fixture.ts';
import { classFact } from './classfact.ts';
import { DriverCalls } from './drivercalls.ts';
import { noTokens, view } from './view.fixture.ts';

test('a VM whose class is gone is deleted by what the Machine remembers, with the data of both Secrets (13.5)', async () => {
  const asked: MachineRequest[] = [];
  const driver: Driver = {
    name: 'virtual',
    providerSpec: {},
    createMachine: () => Promise.reject(),
    deleteMachine: async (request) => {
      asked.push(request);
      return {};
    },
  };
  const drivers = new Map([['virtual', driver]]);
  const secrets = new Cache<Secret>();
  secrets.put({ metadata: { namespace: 'herd', name: 'a' }, data: { userData: btoa('x'), token: btoa('old') } });
  secrets.put({ metadata: { namespace: 'herd', name: 'b' }, data: { token: btoa('new') } });
  const clock = new FakeClock(BORN);
  const { calls, updatesOf } = callsFor({ clock });
  const driverCalls = new DriverCalls({
    calls,
    updates: updatesOf(drivers),
    secrets,
    drivers,
    tokens: noTokens,
    incarnation: 'here',
    lookUp: async () => undefined,
  });
  const found = machineClass({
    providerSpec: { region: 'west' },
    secretRef: { name: 'a' },
    credentialsSecretRef: { name: 'b' },
  });
  const one = machine({ metadata: { annotations: { [ANNOTATION_CLASS]: recordOf(found) } } });
  const fact = classFact({ classes: new Cache(), secrets, drivers }, one);
  driverCalls.start(view({ machine: one, class: fact }), 'deleteMachine');
  await clock.advance(0);
  expect(asked).toMatchObject([
    {
      class: { metadata: { name: 'small', namespace: 'herd' }, provider: 'virtual', providerSpec: { region: 'west' } },
      secret: { userData: 'x', token: 'new' },
    },
  ]);
});
