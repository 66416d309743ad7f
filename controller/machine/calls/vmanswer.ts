import type { Machine } from '../../../schemas/machine.ts';
import { DriverError } from '../../drivers/sdk/errors.ts';
import type { CalledMethod } from '../flow/view.ts';
import type { CallAnswer } from './callmemory.ts';

/** Who answered, and of which Machine. */
export interface Asked {
  driver: string;
  method: CalledMethod;
  machine: Machine;
  /** Without a target cluster no Node has a name. */
  hasTarget: boolean;
}

/**
 * An answer of a driver as the contract wants it (driver.ts): what a VM is known by is never empty (MCM 6.4 3). Throws a
 * DriverError that says what is wrong: it waits as a failure does, and nothing of it is recorded.
 */
export function checked(answer: CallAnswer, { driver, method, machine, hasTarget }: Asked): CallAnswer {
  if (!answer || answer.gone) return answer;
  const wrong = (field: string) =>
    new DriverError(
      'Internal',
      `${method} of the driver ${driver} answers with a VM that has no ${field}: that is a mistake in the driver`,
    );
  if (!isWord(answer.providerID)) throw wrong('providerID');
  if (isWord(answer.nodeName)) return answer;
  if (hasTarget) throw wrong('nodeName');
  return { ...answer, nodeName: machine.metadata.name };
}

const isWord = (text: unknown): boolean => typeof text === 'string' && text.trim() !== '';
