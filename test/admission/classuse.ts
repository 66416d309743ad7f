import type { MachineClass } from '../../schemas/machineclass.ts';
import { machineOf } from './among.ts';
import type { AdmissionCase } from './case.ts';

type Build = (change?: (made: MachineClass) => void) => MachineClass;

/** What holds for a class as to its driver, and to the machines that use it. */
export const classUseCases = (build: Build): AdmissionCase<MachineClass>[] => [
  ...driverCases(build),
  ...useCases(build),
];

const having = (build: Build) => (more: Partial<MachineClass>) => build((made) => Object.assign(made, more));

function driverCases(build: Build): AdmissionCase<MachineClass>[] {
  const made = having(build);
  const node = { capacity: { cpu: '2', gpu: 0, memory: '4Gi' }, instanceType: 'a', region: 'b', zone: 'c' };
  return [
    {
      what: 'a class of another machine controller',
      now: made({ provider: 'AWS', providerSpec: { any: { thing: true } } }),
      refused: [],
      warned: ['driver-there'],
    },
    { what: 'a class of nobody', now: build(withoutProvider), refused: [], warned: ['driver-there'] },
    {
      what: 'a class of a driver, misspelt',
      now: made({ provider: 'Virtuel' }),
      refused: [],
      warned: ['driver-there'],
    },
    {
      what: 'a providerSpec that the driver does not know',
      now: made({ providerSpec: { heartbeet: '10s', capacity: -1, tags: { 'a b': 'c' } } }),
      refused: ['spec-fits-driver', 'spec-fits-driver', 'spec-fits-driver'],
    },
    {
      what: 'a providerSpec that is far too long',
      now: made({ providerSpec: { tags: { story: 'x'.repeat(300_000) } } }),
      refused: ['spec-fits-driver'],
    },
    {
      what: 'a nodeTemplate that the driver does not know',
      now: made({ nodeTemplate: { ...node, virtualcapacity: { 'example.io/fast': 1 } } }),
      refused: ['node-template-fits-driver'],
    },
    { what: 'a nodeTemplate as the driver knows it', now: made({ nodeTemplate: node }), refused: [] },
  ];
}

const withoutProvider = (made: MachineClass) => {
  made.provider = undefined;
};

function useCases(build: Build): AdmissionCase<MachineClass>[] {
  const made = having(build);
  const inUse = [machineOf('first'), machineOf('two')];
  const cold = { initialize: true, node: { os: 'linux' }, capacity: 3 } as const;
  return [
    {
      what: 'fields that VMs do not follow, of a class in use',
      before: build(),
      now: made({ providerSpec: cold }),
      among: inUse,
      refused: ['class-in-use', 'class-in-use'],
    },
    {
      what: 'a slip of the pen in a class in use',
      before: build(),
      now: made({ providerSpec: { hartbeat: '20s' } }),
      among: inUse,
      refused: ['spec-fits-driver'],
    },
    {
      what: 'fields that VMs do not follow, of a class in much use',
      before: build(),
      now: made({ providerSpec: { initialize: true } }),
      among: ['a', 'b', 'c', 'd', 'e'].map((name) => machineOf(name)),
      refused: ['class-in-use'],
    },
    {
      what: 'fields that VMs follow, of a class in use',
      before: build(),
      now: made({ providerSpec: { capacity: 5, tags: { team: 'blue' }, latency: { boot: '1s' } } }),
      among: inUse,
      refused: [],
    },
    {
      what: 'Secrets and the nodeTemplate of a class in use',
      before: build(),
      now: made({
        secretRef: { name: 'other' },
        credentialsSecretRef: { name: 'more' },
        nodeTemplate: { capacity: { cpu: '2', gpu: 0, memory: '4Gi' }, instanceType: 'a', region: 'b', zone: 'c' },
      }),
      among: inUse,
      refused: [],
    },
    {
      what: 'fields that VMs do not follow, of a class that nobody uses',
      before: build(),
      now: made({ providerSpec: cold }),
      among: [machineOf('first', 'large')],
      refused: [],
      warned: ['class-change-noted'],
    },
    {
      // hack/decisions/0051 U25
      what: 'any field of a class in use by another machine controller',
      before: made({ provider: 'AWS', providerSpec: { size: 'm' } }),
      now: made({ provider: 'AWS', providerSpec: { size: 'l' } }),
      among: inUse,
      refused: [],
    },
  ];
}
