import { expect, test } from 'bun:test';
import { machineClass, node } from '../../../../test/fixtures/objects.ts';
import type { VmOwner } from '../../../drivers/sdk/driver.ts';
import { goesWithVm, type OrphanNodeFacts } from './nodeplan.ts';

/** hack/decisions/0028 T6: the sweep takes no Node of others because a VM has, or says that it has, the id of theirs. */

const ID = 'gce:///p/z/db-0';
const MARK: VmOwner = { installation: 'here', namespace: 'herd', name: 'm', uid: 'u' };
const facts = (changes: Partial<OrphanNodeFacts> = {}): OrphanNodeFacts => ({
  vm: { providerID: ID, machineName: 'm', created: 0, incarnation: 'here', owner: MARK },
  machineClass: machineClass(),
  cluster: undefined,
  isNamed: () => false,
  ...changes,
});
const marked = (owner: VmOwner | undefined) => ({ vm: { ...facts().vm, owner } as OrphanNodeFacts['vm'] });
const { incarnation: _, owner: __, ...bare } = facts().vm;
const unmarked = { vm: bare };
const record = (namespace?: string, name?: string) => ({
  annotations: { 'machine.sapcloud.io/machine': name, 'machine.sapcloud.io/cluster-namespace': namespace },
});
const labels = { 'node-role.kubernetes.io/control-plane': '' };
const spec = { providerID: ID };

test.each<[string, Partial<OrphanNodeFacts>, Parameters<typeof node>[0], boolean]>([
  ['recorded for the Machine of the mark goes', {}, { spec }, true],
  ['recorded for the Machine of the VM’s name goes, where there are no marks', marked(undefined), { spec }, true],
  ['recorded for another Machine stays', {}, { spec, metadata: record('herd', 'other') }, false],
  ['recorded for one of its name in another namespace stays', {}, { spec, metadata: record('victim', 'm') }, false],
  [
    'recorded as the mark says stays, if that is of another namespace than the class',
    marked({ ...MARK, namespace: 'victim' }),
    { spec, metadata: record('victim', 'm') },
    false,
  ],
  ['in a Cluster of the namespace goes', { cluster: { namespace: 'herd', name: 'far' } }, { spec }, true],
  ['in a Cluster of another namespace stays', { cluster: { namespace: 'victim', name: 'far' } }, { spec }, false],
  ['whose id only ends alike stays', {}, { spec: { providerID: 'gce:///q/z/db-0' } }, false],
  ['that nobody recorded goes with a VM that is marked', {}, { spec, metadata: record() }, true],
  [
    'that nobody recorded goes with a VM of ours that has no mark',
    marked(undefined),
    { spec, metadata: record() },
    true,
  ],
  ['that nobody recorded stays with a VM of nobody knows whose', unmarked, { spec, metadata: record() }, false],
  ['that nobody recorded stays for a name in a mark', marked({ name: 'm' }), { spec, metadata: record() }, false],
  ['that nobody recorded stays while a Machine names it', { isNamed: () => true }, { spec, metadata: record() }, false],
  ['of a control plane stays', {}, { spec, metadata: { ...record(), labels } }, false],
  ['of a control plane that is recorded goes with a VM that is marked', {}, { spec, metadata: { labels } }, true],
  ['of a control plane that is recorded stays without', marked(undefined), { spec, metadata: { labels } }, false],
  ['that goes already is left to go', {}, { spec, metadata: { deletionTimestamp: 'now' } }, false],
])('a Node %s', (_what, changes, its, goes) => expect(goesWithVm(facts(changes), node(its))).toBe(goes));
