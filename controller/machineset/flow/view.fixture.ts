import { BORN, machineSet } from '../../../test/fixtures/objects.ts';
import { here } from '../../model/readiness.fixture.ts';
import { openGate } from '../../safety/outage/gates.fixture.ts';
import type { MachineSetView } from './view.ts';

/** A view of an empty set of three machines, a minute after it was made. */
export const view = (facts: Partial<MachineSetView> = {}): MachineSetView => ({
  now: BORN + 60_000,
  gate: openGate,
  cluster: here,
  set: machineSet(),
  machines: [],
  strays: [],
  orphans: [],
  takenBySiblings: 0,
  siblingBirths: 0,
  births: 0,
  preserving: { most: 0, counted: [], candidates: [], wished: new Set() },
  overshoot: { up: 2, down: 1, periodMs: 60_000 },
  deploymentFrozen: false,
  victimsUntil: Number.NaN,
  served: true,
  refused: new Set(),
  salt: 0,
  ...facts,
});
