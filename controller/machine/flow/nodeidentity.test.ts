import { describe, expect, test } from 'bun:test';
import { ANNOTATION_CONFIRMED } from '../../../schemas/keys.ts';
import { at, machine, node } from '../../../test/fixtures/objects.ts';
import { sameVmBy } from '../../drivers/sdk/vmstatus.ts';
import { isNodeOf, isOwnNode, type NodeFacts } from './nodeidentity.ts';
import type { ClaimFact } from './vmclaim.ts';

/** hack/decisions/0028 W4: a Node is touched only for the Machine whose VM it is confirmed to be. */

const one = machine({ metadata: { labels: { node: 'm' } }, spec: { providerID: 'virtual:///uid-m' } });
/** Nobody has confirmed anything of it in any process. */
const unrecorded = machine({
  metadata: { labels: { node: 'm' }, annotations: { [ANNOTATION_CONFIRMED]: '' } },
  spec: { providerID: 'virtual:///uid-m' },
});
/** Another Machine that is there; it has another VM. */
const beside = machine({ metadata: { name: 'x', uid: 'uid-x' }, spec: { providerID: 'virtual:///uid-x' } });
/** One that was confirmed to have this VM, and one that only names it. */
const twin = machine({ metadata: { name: 'x', uid: 'uid-x' }, spec: { providerID: 'virtual:///uid-m' } });
const thief = machine({
  metadata: { name: 'x', uid: 'uid-x', labels: { node: 'm' }, annotations: { [ANNOTATION_CONFIRMED]: '' } },
  spec: { providerID: 'virtual:///uid-m' },
});
/** Of this cloud the end tells the VM. */
const isSameVm = sameVmBy([{ isSameVm: (one, other) => `${one} ${other}`.match(/virtual:/g)?.length === 2 }]);
const facts = (changes: Partial<NodeFacts> = {}): NodeFacts => ({
  machine: one,
  claim: { at: 'own', marked: true },
  reported: { providerID: 'virtual:///uid-m', nodeName: 'm' },
  reportedOf: () => undefined,
  isShared: true,
  isAbsent: false,
  namesakes: [one],
  isSameVm,
  named: () => beside,
  ...changes,
});

const record = (name?: string) => ({
  'machine.sapcloud.io/machine': name,
  'machine.sapcloud.io/cluster-namespace': name && 'herd',
});
const labels = { 'node-role.kubernetes.io/control-plane': '' };

const unmarked: ClaimFact = { at: 'own', marked: false };
const unknown: ClaimFact = { at: 'unknown' };
const others: ClaimFact = { at: 'others', whose: 'x' };

describe('the Node of the VM', () => {
  test.each<[string, Partial<NodeFacts>, Parameters<typeof node>[0], boolean]>([
    ['is touched for the one whose mark the VM has', {}, { metadata: { annotations: record() } }, true],
    [
      'is touched for the one whose mark the VM has, whatever an old record says',
      {},
      { metadata: { annotations: record('x') } },
      true,
    ],
    ['is not touched before the driver has spoken, whatever the record says', { claim: unknown }, {}, false],
    ['is not touched for one whose claim is refused', { claim: others }, {}, false],
    [
      'is touched without a mark, if nobody else was recorded',
      { claim: unmarked },
      { metadata: { annotations: record() } },
      true,
    ],
    [
      'is not touched without a mark, if another was recorded',
      { claim: unmarked },
      { metadata: { annotations: record('x') } },
      false,
    ],
    [
      'is touched without a mark, if the one that was recorded is gone: the VM goes on under a new name',
      { claim: unmarked, named: (key) => (key === 'herd/x' ? undefined : beside) },
      { metadata: { annotations: record('x') } },
      true,
    ],
    [
      'is touched when the VM is gone that was confirmed, and so is the one that was recorded',
      { claim: unknown, isAbsent: true, named: () => undefined },
      { metadata: { annotations: record('x') } },
      true,
    ],
    [
      'is not touched for one who never had the VM, because the one that was recorded is gone',
      { machine: unrecorded, claim: unknown, isAbsent: true, named: () => undefined },
      { metadata: { annotations: record('x') } },
      false,
    ],
    [
      'is not touched, whatever the mark, if another was recorded that has the VM, too (hack/decisions/0028 T6)',
      { named: () => twin },
      { metadata: { annotations: record('x') } },
      false,
    ],
    [
      'is touched for the one whose mark the VM has, if the recorded one only names it (hack/decisions/0028 T6)',
      { named: () => thief },
      { metadata: { annotations: record('x') } },
      true,
    ],
    [
      'is not touched, whatever the mark, if one was recorded whom nobody sees (hack/decisions/0028 T6)',
      { named: () => 'unseen' },
      { metadata: { annotations: record('x') } },
      false,
    ],
    [
      'is not touched on a control plane if its id is written in another way (hack/decisions/0028 T6)',
      {},
      { metadata: { annotations: record(), labels }, spec: { providerID: 'virtual:///zone/uid-m' } },
      false,
    ],
    ['is touched when the VM is gone, by records on both', { claim: unknown, isAbsent: true }, {}, true],
    [
      'is not touched when the VM is gone, by a record of a name that was made again (hack/decisions/0028 T22)',
      { machine: unrecorded, claim: unknown, isAbsent: true },
      {},
      false,
    ],
    [
      'is touched when the VM is gone that was confirmed, though nobody was there to record it',
      { claim: unknown, isAbsent: true },
      { metadata: { annotations: record() } },
      true,
    ],
    [
      'is not touched without an id when the VM is gone, by a confirmation of the VM alone (hack/decisions/0028 T22)',
      { claim: unknown, isAbsent: true },
      { metadata: { annotations: record() }, spec: { providerID: '' } },
      false,
    ],
    [
      'is touched without an id when the VM is gone, by records on both',
      { claim: unknown, isAbsent: true },
      { spec: { providerID: '' } },
      true,
    ],
    [
      'is not touched when a VM that never was is named',
      { machine: unrecorded, claim: unknown, isAbsent: true },
      { metadata: { annotations: record() } },
      false,
    ],
    ['is touched on a control plane by the mark alone', {}, { metadata: { annotations: record(), labels } }, true],
    [
      'is not touched on a control plane without a mark',
      { claim: unmarked },
      { metadata: { annotations: record(), labels } },
      false,
    ],
    [
      'is touched on a control plane by a record, which is made by hand there (hack/decisions/0028 M12)',
      { claim: unmarked },
      { metadata: { labels } },
      true,
    ],
    [
      'is not touched on a control plane by a name without a namespace, which anybody may have',
      { claim: unmarked },
      { metadata: { annotations: { ...record('m'), 'machine.sapcloud.io/cluster-namespace': undefined }, labels } },
      false,
    ],
    [
      'is touched on a control plane whose VM is gone, by records on both (hack/decisions/0028 M12)',
      { claim: unknown, isAbsent: true },
      { metadata: { labels } },
      true,
    ],
    [
      'is not touched on a control plane whose VM is gone, by a record of a name that was made again',
      { machine: unrecorded, claim: unknown, isAbsent: true },
      { metadata: { labels } },
      false,
    ],
  ])('%s', (_what, changes, its, touched) => {
    expect(isOwnNode(facts(changes), node(its))).toBe(touched);
  });
});

describe('a Node with a providerID', () => {
  const spelled = node({ spec: { providerID: 'virtual:///zone/uid-m' } });
  test.each<[string, Partial<NodeFacts>, ReturnType<typeof node>, boolean]>([
    ['in the words of the Machine is its own', {}, node(), true],
    ['in other words is its own if the driver says so', {}, spelled, true],
    [
      'in other words is that of another project for all that is known (hack/decisions/0028 T6)',
      { isSameVm: sameVmBy([]) },
      spelled,
      false,
    ],
    [
      'stays that of its Machine although another names it in the Node’s own words (hack/decisions/0028 T7)',
      { namesakes: [one, machine({ ...thief, spec: { providerID: 'virtual:///zone/uid-m' } })] },
      spelled,
      true,
    ],
    ['is nobody’s of a Machine without a VM', { machine: machine() }, node(), false],
  ])('%s', (_what, changes, its, is) => expect(isNodeOf(facts(changes), its)).toBe(is));
});

const UNNAMED = { 'node.gardener.cloud/machine-name': undefined };

describe('a Node without a providerID', () => {
  const nameless = (seconds: number, name?: string) =>
    node({
      spec: { providerID: '' },
      metadata: { creationTimestamp: at(seconds), annotations: record(name), labels: UNNAMED },
    });
  const namesake = machine({
    metadata: { name: 'other', uid: 'uid-a', labels: { node: 'm' } },
    spec: { providerID: 'virtual:///uid-a' },
  });
  test.each<[string, Partial<NodeFacts>, ReturnType<typeof node>, boolean]>([
    ['is that of the one for whose VM the driver named it', {}, nameless(1), true],
    [
      'is nobody’s by a label that the driver did not give',
      { reported: { providerID: 'virtual:///uid-m', nodeName: 'x' } },
      nameless(1),
      false,
    ],
    ['is that of the one of two whose VM was confirmed first', { namesakes: [one, namesake] }, nameless(1), false],
    [
      'is nobody’s while two Machines have it and none was confirmed',
      { machine: unrecorded, namesakes: [unrecorded, thief] },
      nameless(1),
      false,
    ],
    [
      'is not kept from the one who has the VM by one who was never confirmed (hack/decisions/0028 T7)',
      { namesakes: [one, thief] },
      nameless(1),
      true,
    ],
    ['is nobody’s when it was there before', {}, nameless(-301), false],
    [
      'is that of the one who is recorded on it, though it was there before',
      { reported: undefined },
      nameless(-301, 'm'),
      true,
    ],
    ['is not that of one who is not the one that is recorded on it', {}, nameless(1, 'other'), false],
  ])('%s', (_what, changes, its, is) => {
    expect(isNodeOf(facts(changes), its)).toBe(is);
  });
});
