import { describe, expect, test } from 'bun:test';
import { at, machine, node } from '../../../test/fixtures/objects.ts';
import { sameVmBy } from '../../drivers/sdk/vmstatus.ts';
import { confirmation } from '../../model/machine.ts';
import { type NodeFacts, whyNotIts } from './nodeidentity.ts';

/**
 * hack/decisions/0028 O27: a Node's birth is by the clock of its own cluster, a Machine's by another's, or the moment of a restore.
 */

const VM = 'names:///m';
const BORN = 10_000;
const blank = machine({
  metadata: { name: 'm', uid: 'new', labels: { node: 'm' }, creationTimestamp: at(BORN) },
  spec: { providerID: VM },
} as never);
const owner = {
  ...blank,
  metadata: { ...blank.metadata, annotations: confirmation(blank, VM, Date.parse(at(BORN + 10))) },
};
const addresses = [{ type: 'InternalIP', address: '10.0.0.2' }];

/** @param known addresses that the driver tells of the VM */
const facts = (known: typeof addresses): NodeFacts => ({
  machine: owner,
  claim: { at: 'own', marked: true },
  reported: { providerID: VM, nodeName: 'm', owner: { name: 'm', uid: 'new' }, addresses: known },
  reportedOf: () => undefined,
  isShared: false,
  isAbsent: false,
  namesakes: [owner],
  isSameVm: sameVmBy([]),
  named: () => undefined,
});

const UNNAMED = { 'node.gardener.cloud/machine-name': undefined };
const NAMED = { 'node.gardener.cloud/machine-name': 'm' };
const NOBODYS = { 'machine.sapcloud.io/machine': undefined, 'machine.sapcloud.io/cluster-namespace': undefined };
const joined = (born: number, labels: object = UNNAMED) => ({
  ...node({
    metadata: { name: 'm', creationTimestamp: at(born), annotations: NOBODYS, labels },
    spec: { providerID: '' },
  } as never),
  status: { addresses },
});

describe('a Node without a providerID, which the driver names, of the only machine', () => {
  test.each([
    ['made after it', facts([]), joined(BORN + 30)],
    ['though the clock of its cluster is minutes behind', facts([]), joined(BORN - 240)],
    ['by the address of its VM, though the machine was restored since', facts(addresses), joined(0)],
    ['by the name that MCM has put on it, though it was moved since', facts([]), joined(0, NAMED)],
  ])('is its, %s', (_what, its, one) => {
    expect(whyNotIts(its, one)).toBeUndefined();
  });

  test.each([
    ['from long before', facts([]), joined(0)],
    ['from long before, with the name of another', facts([]), joined(0, { 'node.gardener.cloud/machine-name': 'n' })],
    [
      'from long before, with the address of another VM',
      facts([{ type: 'InternalIP', address: '10.0.0.3' }]),
      joined(0),
    ],
  ])('is not its, %s', (_what, its, one) => {
    expect(whyNotIts(its, one)).toBe('it was there before the machine');
  });
});
