import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { capabilityFaults } from '../../schemas/providers/capabilities.ts';
import { asking, listing } from './asking.ts';
import { type Optional, optional, type Trial } from './candidate.ts';
import { creating, limits } from './creating.ts';
import { deleting, leaving, retaining } from './deleting.ts';
import { failing } from './failing.ts';
import { Herd } from './herd.ts';
import { owning } from './owning.ts';
import { updating } from './updating.ts';

/**
 * The promises of the driver contract (controller/drivers/sdk/driver.ts), as tests. Whoever writes a driver calls this in a test
 * file of their own; controller/drivers/README.md shows how.
 */
export function driverConformance(trial: Trial): void {
  const herd = new Herd(trial);
  const has = (method: Optional) => trial.methods.includes(method);
  describe(`The driver ${trial.name}`, () => {
    beforeAll(() => herd.start(), 60_000);
    afterAll(() => herd.candidate.stop());
    test('has the optional methods that it says it has', () => {
      expect(optional.filter((method) => herd.driver[method] !== undefined)).toEqual(optional.filter(has));
    });
    test('publishes what it can, and nothing else', () => {
      const { driver } = herd;
      const has = (method: string) => Reflect.get(driver, method) !== undefined;
      expect(capabilityFaults(driver.capabilities ?? [], has)).toEqual([]);
    });
    describe('creates', () => creating(herd));
    if (has('getMachineStatus')) describe('is asked', () => asking(herd));
    if (has('listMachines')) describe('lists', () => listing(herd));
    if (has('updateMachine')) describe('updates', () => updating(herd));
    if (has('retainMachine')) describe('leaves behind', () => retaining(herd));
    if (has('claimMachine')) describe('marks', () => owning(herd));
    describe('deletes', () => deleting(herd));
    describe('fails', () => failing(herd));
    describe('keeps to its limits', () => limits(herd));
    describe('in the end', () => leaving(herd));
  });
}
