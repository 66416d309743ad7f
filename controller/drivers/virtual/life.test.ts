import { describe, expect, test } from 'bun:test';
import { at, BORN } from '../../../test/fixtures/objects.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import { judge, type LifeView } from './life.ts';
import { silentAt } from './node.ts';
import { vmWith } from './virtual.fixture.ts';

const ready = { type: 'Ready', status: 'True', lastTransitionTime: at(0) };
const silent = silentAt(BORN, 'VirtualMachineBroken');
const taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

const nodeWith = (changes: { ready?: typeof ready; taints?: Array<typeof taint>; providerID?: string } = {}): Node => ({
  metadata: { name: 'm', uid: 'uid-node' },
  spec: { providerID: changes.providerID ?? 'virtual:///uid-m', taints: changes.taints ?? [] },
  status: { conditions: [changes.ready ?? ready] },
});
const silentNode = nodeWith({ ready: silent as typeof ready });

const leaver = { metadata: { name: 'p', deletionTimestamp: at(0) } };

const quiet = { heartbeat: '0s' };
const slow = { ...quiet, latency: { create: '1s', boot: '2s', join: '4s' } };
const vanishing = { ...quiet, faults: { vms: [{ fate: 'Vanishes', after: '30s' } as const] } };
const breaking = { ...quiet, faults: { vms: [{ fate: 'Breaks', after: '30s' } as const] } };

/** What is decided `seconds` after the creation, such as `Joining wait 4000` or `Registered act register`. */
function decided(
  seconds: number,
  { vm = {}, ...view }: Partial<Omit<LifeView, 'vm'>> & { vm?: Parameters<typeof vmWith>[0] },
) {
  const now = BORN + seconds * 1000;
  const { step, outcome, after } = judge({
    node: undefined,
    lastBeat: undefined,
    leaving: [],
    joins: true,
    now,
    ...view,
    vm: vmWith({ spec: quiet, ...vm }),
  });
  if (outcome.kind === 'act') return `${step} act ${outcome.action.do}`;
  return `${step} ${outcome.kind}${Number.isFinite(after) ? ` ${after}` : ''}`;
}

describe('The life of a virtual VM', () => {
  const rows: Array<[string, number, Parameters<typeof decided>[1], string]> = [
    ['registers its Node at once without latencies', 0, {}, 'Registered act register'],
    ['settles when its Node is there', 0, { node: nodeWith() }, 'Reconciled pass'],
    ['shows that it is created', 0, { vm: { spec: slow } }, 'Recorded act record'],
    ['boots after its creation', 0, { vm: { spec: slow, state: 'Creating' } }, 'Joining wait 1000'],
    ['looks again when it runs', 1, { vm: { spec: slow, state: 'Booting' } }, 'Joining wait 2000'],
    ['joins after a while', 3, { vm: { spec: slow } }, 'Joining wait 4000'],
    ['joins nothing where there is no cluster', 7, { vm: { spec: slow }, joins: false }, 'Joining wait'],
    ['joins when the time has come', 7, { vm: { spec: slow } }, 'Registered act register'],
    [
      'waits for its initialization',
      1,
      { vm: { spec: { ...quiet, initialize: true }, state: 'Uninitialized' } },
      'Joining wait',
    ],
    [
      'never joins when it is not meant to',
      9,
      { vm: { spec: { faults: { vms: [{ fate: 'NeverJoins' }] } } } },
      'Joining wait',
    ],
    [
      'does not take the place of another’s Node',
      0,
      { node: nodeWith({ providerID: 'aws:///i-1' }) },
      'Registered fail',
    ],
    [
      'leaves admission’s taint to others for a moment',
      1,
      { node: nodeWith({ taints: [taint] }) },
      'Untainted wait 1000',
    ],
    ['takes admission’s taint off itself then', 2, { node: nodeWith({ taints: [taint] }) }, 'Untainted act untaint'],
    [
      'leaves the taint of a Node that is not Ready',
      9,
      { node: nodeWith({ taints: [taint], ready: { ...ready, status: 'False' } }) },
      'Reconciled pass',
    ],
    [
      'stays as long as its deletion takes after it was answered',
      9,
      {
        vm: {
          spec: { ...quiet, latency: { delete: '4s', terminate: '5s' } },
          deleting: BORN + 1_000,
          state: 'Deleting',
        },
      },
      'PoweredOn wait 1000',
    ],
    [
      'goes then',
      10,
      {
        vm: {
          spec: { ...quiet, latency: { delete: '4s', terminate: '5s' } },
          deleting: BORN + 1_000,
          state: 'Deleting',
        },
      },
      'Kept act end',
    ],
    ['beats at once', 0, { vm: { spec: {} }, node: nodeWith() }, 'Beating act beat'],
    [
      'beats again after the interval',
      4,
      { vm: { spec: {} }, node: nodeWith(), lastBeat: BORN },
      'Reconciled pass 6000',
    ],
    [
      'falls silent when it is broken',
      0,
      { vm: { broken: true, state: 'Broken' }, node: nodeWith() },
      'Sound act silence',
    ],
    ['stays silent while it is broken', 0, { vm: { broken: true, state: 'Broken' }, node: silentNode }, 'Sound wait'],
    ['does not register while it is broken', 0, { vm: { broken: true, state: 'Broken' } }, 'Sound wait'],
    ['reports again when it is whole', 0, { node: silentNode }, 'Reporting act report'],
    [
      'wakes for the moment at which it breaks',
      10,
      { vm: { spec: breaking }, node: nodeWith() },
      'Reconciled pass 20000',
    ],
    ['breaks at its moment', 30, { vm: { spec: breaking }, node: nodeWith() }, 'Recorded act record'],
    [
      'wakes for the moment at which it vanishes',
      10,
      { vm: { spec: vanishing }, node: nodeWith() },
      'Reconciled pass 20000',
    ],
    ['vanishes at its moment', 30, { vm: { spec: vanishing }, node: nodeWith() }, 'Spared act vanish'],
    ['ends pods that leave, as a kubelet does', 0, { node: nodeWith(), leaving: [leaver] }, 'PodsEnded act endPods'],
    [
      'leaves them alone while it is broken',
      0,
      { vm: { broken: true, state: 'Broken' }, node: silentNode, leaving: [leaver] },
      'Sound wait',
    ],
    ['is off while it is being deleted', 0, { vm: { deleting: BORN, state: 'Deleting' } }, 'PoweredOn wait'],
  ];
  test.each(rows)('%s', (_what, seconds, view, expected) => expect(decided(seconds, view)).toBe(expected));
});
