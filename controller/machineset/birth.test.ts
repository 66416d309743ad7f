import { expect, test } from 'bun:test';
import { machineClass, machineSet } from '../../test/fixtures/objects.ts';
import type { Driver } from '../drivers/sdk/driver.ts';
import { classRecordOf } from '../model/class.ts';
import { byOwner } from '../model/ownership.ts';
import { oneTarget } from '../model/target.fixture.ts';
import { HotFields } from '../model/template.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import type { KubeObject } from '../runtime/k8s/object.ts';
import { Cache } from '../runtime/watch/cache.ts';
import { openGates } from '../safety/outage/gates.fixture.ts';
import { observe } from './observe.ts';

function cached<T extends KubeObject>(...objects: T[]): Cache<T> {
  const cache = new Cache<T>({ indexes: { owner: byOwner } });
  for (const object of objects) cache.put(object);
  return cache;
}

const aws = machineClass({ provider: 'AWS' });
const secrets = ['herd', 'victim'].map((namespace) => ({ metadata: { namespace, name: 's' } }));
const inline = machineSet({
  spec: { template: { spec: { class: undefined, provider: 'virtual', providerSpec: {} } } },
});

test.each([
  ['of a class that is served here remember it', machineSet(), [machineClass()], true, classRecordOf(machineClass())],
  ['of a class that is served elsewhere are born bare', machineSet(), [aws], false, undefined],
  ['of a class that is not there are born bare', machineSet(), [], false, undefined],
  [
    'of a class whose Secret is there remember it',
    machineSet(),
    [machineClass({ secretRef: { name: 's' } })],
    true,
    classRecordOf(machineClass({ secretRef: { name: 's' } })),
  ],
  [
    'of a class whose Secret is missing have nothing to remember yet (hack/decisions/0051 L7)',
    machineSet(),
    [machineClass({ secretRef: { name: 'typo' } })],
    true,
    undefined,
  ],
  [
    'of a class that names a Secret of another namespace have nothing to remember (hack/decisions/0051 L19)',
    machineSet(),
    [machineClass({ secretRef: { name: 's', namespace: 'victim' } })],
    true,
    undefined,
  ],
  ['with an inline spec have nothing to remember', inline, [machineClass()], true, undefined],
])('machines %s', (_what, set, classes, served, record) => {
  const drivers = new Map([['virtual', { providerSpec: {} } as Driver]]);
  const sources = {
    sets: cached(set),
    machines: cached(),
    classes: cached(...classes),
    secrets: cached(...secrets),
    deployments: cached(),
    gates: openGates,
    births: { count: () => 0 },
    clusters: new Map(),
    targets: oneTarget({ nodes: cached() } as never),
    drivers,
    hotFields: new HotFields(drivers),
    clock: new FakeClock(),
  };
  const view = observe(sources as never, 'herd/set', { salt: 0, refused: new Set() });
  expect([view?.served, view?.record]).toEqual([served, record]);
});
