import { BORN, machine, machineClass, node } from '../../../test/fixtures/objects.ts';
import { here } from '../../model/readiness.fixture.ts';
import { openGate } from '../../safety/outage/gates.fixture.ts';
import type { MachineTokens } from '../bootstrap/tokens.ts';
import type { DrainSettings } from './limits.ts';
import type { CallsFact, MachineView, NodeFact } from './view.ts';

/** Nothing was asked of the driver yet. */
export const idle: CallsFact = { full: [] };

/** A Node in good health. */
export const readyNode: Extract<NodeFact, { at: 'present' }> = {
  at: 'present',
  name: 'm',
  uid: 'uid-node',
  ours: true,
  deleting: false,
  ready: true,
  silent: false,
  changedAt: BORN,
  critical: false,
  conditions: [{ type: 'Ready', status: 'True' }],
  object: node(),
};

/** A VM that is done. */
export const vm = { at: 'present', providerID: 'virtual:///uid-m', nodeName: 'm', initialized: true } as const;

/** A VM that was deleted, and that the driver no longer knows. */
export const deleted = {
  vm: { at: 'absent', since: BORN + 59_000 },
  calls: { full: [], askedAt: BORN + 59_000, deletion: { at: BORN + 58_000, heard: true } },
} as const;

/** A Machine that records its VM. */
export const recorded = { metadata: { labels: { node: 'm' } }, spec: { providerID: vm.providerID } };

/** Tokens of Machines whose user data wants none. */
export const noTokens: MachineTokens = {
  fact: () => 'unwanted',
  make: async () => [],
  textOf: () => undefined,
  forget: () => {},
};

/** A view of a new Machine, a minute after it was made, of which nothing is known. */
export const view = (facts: Partial<MachineView> = {}): MachineView => ({
  now: BORN + 60_000,
  gate: openGate,
  cluster: here,
  machine: machine(),
  class: { at: 'ours', class: machineClass() },
  vm: { at: 'unknown' },
  claim: { at: 'own', marked: true },
  calls: idle,
  update: { slotFree: true },
  node: { at: 'absent' },
  token: 'unwanted',
  limits: { creation: 1_200_000, health: 600_000, preserve: 345_600_000, inPlace: 1_200_000, vmYouth: 0 },
  startupTaint: { key: 'starting', effect: 'NoSchedule' },
  mark: '1/1',
  refused: new Map(),
  halted: new Map(),
  ...facts,
});

/** MCM's settings of drains (hack/spec/mcm.md 3.3). */
export const drainSettings: DrainSettings = {
  timeoutMs: 7_200_000,
  detachMs: 120_000,
  reattachMs: 90_000,
  evictRetries: 360,
};
