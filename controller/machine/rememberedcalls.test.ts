import { expect, test } from 'bun:test';
import { ANNOTATION_CLASS } from '../../schemas/keys.ts';
import { machine, machineClass } from '../../test/fixtures/objects.ts';
import type { MachineRequest } from '../drivers/sdk/driver.ts';
import { classRecordOf } from '../model/class.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { driverCallsTo, twoSecrets } from './calls/requests.fixture.ts';
import { classFact } from './flow/classresolution.ts';
import { view } from './flow/view.fixture.ts';

test('a VM whose class is gone is deleted by what the Machine remembers, with the data of both Secrets (13.5)', async () => {
  const asked: MachineRequest[] = [];
  const deleteMachine = async (request: MachineRequest) => {
    asked.push(request);
    return {};
  };
  const secrets = twoSecrets();
  const { clock, drivers, driverCalls } = driverCallsTo({ deleteMachine }, { secrets });
  const found = machineClass({
    providerSpec: { region: 'west' },
    secretRef: { name: 'a' },
    credentialsSecretRef: { name: 'b' },
  });
  const one = machine({ metadata: { annotations: { [ANNOTATION_CLASS]: classRecordOf(found) } } });
  const fact = classFact({ classes: new Cache(), secrets, drivers }, one);
  driverCalls.start(view({ machine: one, class: fact }), 'deleteMachine');
  await clock.advance(0);
  expect(asked).toMatchObject([
    {
      class: { metadata: { name: 'small', namespace: 'herd' }, provider: 'virtual', providerSpec: { region: 'west' } },
      secret: { userData: 'x', token: 'y' },
    },
  ]);
});
