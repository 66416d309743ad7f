import type { Driver, VmAnswer } from '../drivers/sdk/driver.ts';
import { DriverError } from '../drivers/sdk/errors.ts';

/** Who has a VM to tell of as soon as it was made. */
export const cloudOf = (vm: VmAnswer): Partial<Driver> => {
  let isMade = false;
  return {
    createMachine: async () => {
      isMade = true;
      return vm;
    },
    deleteMachine: async () => {
      isMade = false;
      return {};
    },
    getMachineStatus: async () => {
      if (!isMade) throw new DriverError('NotFound', 'there is no such VM');
      return vm;
    },
  };
};
