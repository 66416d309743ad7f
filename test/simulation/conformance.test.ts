import type { Driver } from '../../controller/drivers/sdk/driver.ts';
import { type Clock, systemClock } from '../../controller/runtime/clock.ts';
import { seededRandom } from '../../controller/runtime/random.ts';
import { driverConformance } from '../conformance/driver.ts';
import { Chance } from './chance.ts';
import { Cloud } from './cloud.ts';
import type { CloudHabits } from './cloudapi.ts';
import { simDriver } from './driver.ts';
import { noFaults } from './faultrates.ts';
import { Lifetime } from './lifetime.ts';
import { silent } from './trace.ts';

// The simulation has a cloud of its own (hack/decisions/0064): it keeps the same promises as drivers do, or it would show nothing of them.

/** Its answers take seconds; here each is a few milliseconds. */
const FASTER = 400;

const hurried: Clock = {
  ...systemClock,
  after: (ms, run) => systemClock.after(ms / FASTER, run),
};

const seldom: CloudHabits = {
  initializes: false,
  listsOnly: false,
  marks: false,
  lagMs: 0,
  deletionMs: 4_000,
  ghostMs: 0,
};

/** Clouds as runs have them. */
const habits: Readonly<Record<string, Partial<CloudHabits>>> = {
  'that tells marks': { marks: true },
  'that tells no marks': {},
  'that only lists': { listsOnly: true, marks: true },
};

for (const [name, some] of Object.entries(habits)) {
  const all = { ...seldom, ...some };
  driverConformance({
    name: `of the simulation, with a cloud ${name}`,
    methods: [
      ...(all.listsOnly ? [] : (['getMachineStatus'] as const)),
      'listMachines',
      'updateMachine',
      'retainMachine',
      ...(all.marks ? (['claimMachine'] as const) : []),
    ],
    stamps: true,
    specs: {
      plain: { size: 1 },
      edited: { size: 2 },
      unknownKey: { spec: { colour: 'red' }, path: 'colour' },
      hot: { size: 3, tags: { team: 'blue' } },
    },
    start: async () => started(all),
  });
}

function started(all: CloudHabits) {
  const cloud = new Cloud({ clock: hurried, breach: undefined, skewMs: 0 });
  const driver: Driver = simDriver({
    cloud,
    habits: all,
    breach: undefined,
    clock: hurried,
    chance: new Chance(seededRandom(1)),
    trace: silent,
    faultRates: () => noFaults,
    who: 'test',
    lifetime: new Lifetime(hurried),
    watcher: { called: () => {}, listed: () => {}, heard: () => {} },
  });
  return {
    driver,
    secret: {},
    inventory: async (prefix: string) =>
      [...cloud.vms.values()].filter((vm) => vm.nodeName.startsWith(prefix)).map((vm) => `VM ${vm.providerID}`),
    logged: () => '',
    stop: () => {},
  };
}
