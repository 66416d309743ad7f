import { expect } from 'bun:test';
import type { Machine } from '../../../schemas/machine.ts';
import type { Herd } from './herd.ts';

/** Every Machine has the VM that was made for it, every VM its Machine, and every Node is one of theirs. */
export async function expectInOrder(herd: Herd, machines: readonly Machine[]): Promise<void> {
  const [vms, joined] = [await herd.vms(), await herd.nodesOf(machines)];
  const uids = machines.map(({ metadata }) => metadata.uid ?? '').sort();
  expect(vms.map(({ metadata }) => metadata.name).sort()).toEqual(uids);
  expect(machines.map(({ spec }) => spec?.providerID).sort()).toEqual(uids.map((uid) => `virtual:///${uid}`));
  expect(joined.map(({ spec }) => spec?.providerID).sort()).toEqual(uids.map((uid) => `virtual:///${uid}`));
}
