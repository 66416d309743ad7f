import { benchDrain, podOn } from '../../controller/drain/drains.fixture.ts';
import type { Driver } from '../../controller/drivers/sdk/driver.ts';
import { rulesCache } from '../../controller/machine/drainrules.fixture.ts';
import { plan } from '../../controller/machine/flow/flow.ts';
import { asks, change, seen as synced } from '../../controller/machine/flow/nodesync.fixture.ts';
import { drainSettings, idle, readyNode, recorded, view, vm } from '../../controller/machine/flow/view.fixture.ts';
import { seen } from '../../controller/machine/observe.fixture.ts';
import { drainFact } from '../../controller/machine/observedrain.ts';
import { oneTarget } from '../../controller/model/target.fixture.ts';
import { openGate } from '../../controller/safety/outage/gates.fixture.ts';
import type { MachineSpec } from '../../schemas/machinespec.ts';
import { at, BORN, inPhase, machine, machineClass, node } from '../fixtures/objects.ts';
import type { HeededFields } from './row.ts';

const noRules = { drainRules: rulesCache(), clusters: { get: () => undefined } };

type Pair = readonly [unknown, unknown];
const both = (run: (spec: MachineSpec) => unknown, spec: MachineSpec, without: MachineSpec = {}): Pair => [
  run(without),
  run(spec),
];

/** What is decided for a machine whose Node is well. */
const decided = (spec: MachineSpec) =>
  plan(
    view({
      machine: machine({ ...recorded, spec: { ...recorded.spec, ...spec } } as never),
      vm,
      node: readyNode,
      calls: { ...idle, askedAt: BORN },
    }),
  );

/** What is decided for one whose Node has not been well for two hours. */
const ofIll = (spec: MachineSpec) =>
  plan(
    view({
      machine: inPhase('Unknown', 0, { ...recorded, spec: { ...recorded.spec, ...spec } } as never),
      vm,
      node: { ...readyNode, ready: false },
      calls: { ...idle, askedAt: BORN + 7_200_000 },
      now: BORN + 7_200_000,
    }),
  );

/** Limits of the machine, its class, and whether its Node is well, as they are seen. */
function looked(spec: MachineSpec) {
  const conditions = [
    { type: 'Ready', status: 'True' },
    { type: 'Overheated', status: 'True' },
  ];
  const one = machine({ ...recorded, spec: { ...recorded.spec, ...spec } } as never);
  const fact = seen(one, { nodes: [node({ status: { conditions } } as never)] });
  const ready = fact?.node.at === 'present' && fact.node.ready;
  return { limits: fact?.limits, class: fact?.class, ready };
}

/** Limits of the drain of a machine that leaves. */
function drained(spec: MachineSpec) {
  const { target, drains, clock } = benchDrain();
  target.pods.put(podOn('a'));
  const drivers = new Map([['virtual', { name: 'virtual' } as Driver]]);
  const sources = { drains, targets: oneTarget(target), drivers, clock, limits: { drain: drainSettings }, ...noRules };
  const metadata = { ...recorded.metadata, deletionTimestamp: at(30) };
  const leaver = machine({ ...recorded, metadata, spec: { ...recorded.spec, ...spec } } as never);
  const fact = { at: 'ours', class: machineClass() } as const;
  return drainFact(sources, leaver, { node: readyNode, class: fact, gate: openGate })?.limits;
}

const taint = (more: object = {}) => ({ key: 'a', value: 'b', effect: 'NoSchedule' as const, ...more });
/** What is written to the Node of a machine whose template has a taint. */
const onNode = (more: object = {}) => change(synced({ template: asks({}, {}, [taint(more)]) }));
const own = (more: object = {}): MachineSpec => ({ taints: [taint(more)] });
const NOT_SYNCHRONISED = { unheeded: 'not synchronised' } as const;
const inline: MachineSpec = { class: undefined, provider: 'virtual', providerSpec: {} };

/** Who heeds each field of a Machine's spec, and so of the spec in a template. */
export const machineFields: HeededFields = {
  'spec.class.apiGroup': { unheeded: 'never read' },
  'spec.class.kind': { unheeded: 'Always MachineClass' },
  'spec.class.name': () => both(looked, { class: { name: 'other' } }),
  'spec.providerID': () => both(decided, { providerID: '' }),
  'spec.nodeTemplate.metadata.labels': () => both(decided, { nodeTemplate: { metadata: { labels: { a: 'b' } } } }),
  'spec.nodeTemplate.metadata.annotations': () =>
    both(decided, { nodeTemplate: { metadata: { annotations: { a: 'b' } } } }),
  'spec.nodeTemplate.spec.taints[].key': () => [onNode(), onNode({ key: 'other' })],
  'spec.nodeTemplate.spec.taints[].value': () => [onNode(), onNode({ value: 'other' })],
  'spec.nodeTemplate.spec.taints[].effect': () => [onNode(), onNode({ effect: 'NoExecute' })],
  'spec.nodeTemplate.spec.taints[].timeAdded': () => [onNode(), onNode({ timeAdded: at(0) })],
  'spec.nodeTemplate.spec.unschedulable': NOT_SYNCHRONISED,
  'spec.nodeTemplate.spec.podCIDR': NOT_SYNCHRONISED,
  'spec.nodeTemplate.spec.podCIDRs': NOT_SYNCHRONISED,
  'spec.nodeTemplate.spec.providerID': NOT_SYNCHRONISED,
  'spec.nodeTemplate.spec.externalID': NOT_SYNCHRONISED,
  'spec.nodeTemplate.spec.configSource.**': NOT_SYNCHRONISED,
  'spec.drainTimeout': () => both(drained, { drainTimeout: '5m' }),
  'spec.healthTimeout': () => both(looked, { healthTimeout: '5m' }),
  'spec.creationTimeout': () => both(looked, { creationTimeout: '5m' }),
  'spec.inPlaceUpdateTimeout': () => both(looked, { inPlaceUpdateTimeout: '5m' }),
  'spec.machinePreserveTimeout': () => both(looked, { machinePreserveTimeout: '5m' }),
  'spec.disableHealthTimeout': () => both(ofIll, { disableHealthTimeout: true }),
  'spec.maxEvictRetries': () => both(drained, { maxEvictRetries: 3 }),
  'spec.nodeConditions': () => both(looked, { nodeConditions: 'Overheated' }),
  'spec.provider': () => both(looked, { ...inline, provider: 'other' }, inline),
  'spec.providerSpec': () => both(looked, { ...inline, providerSpec: { capacity: 3 } }, inline),
  'spec.deletionPolicy': { driven: ['retain-possible'] },
  'spec.powerState': { driven: ['power-possible', 'suspend-possible'] },
  'spec.powerOffMode': { driven: ['power-off-mode-possible'] },
  'spec.suspendMode': { driven: ['suspend-mode-possible'] },
  'spec.restartMode': { driven: ['restart-mode-possible'] },
  'spec.nextRestartTime': { driven: ['restart-possible'] },
  'spec.network.**': { driven: ['network-possible'] },
  'spec.promoteDisksMode': { driven: ['disks-possible'] },
  'spec.image.name': { driven: ['image-name-possible'] },
  'spec.image.ref': { driven: ['image-possible'] },
  'spec.versions.**': { driven: ['versions-possible'] },
  'spec.taints[].key': () => both(decided, own({ key: 'other' }), own()),
  'spec.taints[].value': () => both(decided, own({ value: 'other' }), own()),
  'spec.taints[].effect': () => both(decided, own({ effect: 'NoExecute' }), own()),
  'spec.taints[].timeAdded': () => both(decided, own({ timeAdded: at(0) }), own()),
};
