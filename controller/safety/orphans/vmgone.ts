import { type Driver, deadlines, type MachineRequest } from '../../drivers/sdk/driver.ts';
import { classOf, DriverError, toDriverError } from '../../drivers/sdk/errors.ts';
import { vmStatus } from '../../drivers/sdk/vmstatus.ts';
import { type Clock, Deadline, unlessAborted } from '../../runtime/clock.ts';

/** How soon a VM that is still there is asked about again, at the least and at the most, milliseconds. */
const AGAIN = { least: 5_000, most: 60_000 };

/** A VM whose deletion was accepted has so long to go, milliseconds. */
const PATIENCE_MS = 600_000;

/** What it takes to see a VM go. */
export interface Watching {
  driver: Driver;
  clock: Clock;
  /** Ends it. */
  signal: AbortSignal;
}

/**
 * Resolves once the driver no longer knows a VM whose deletion it has answered, or cannot tell (hack/decisions/0055). Errors that
 * pass are asked about again. Throws what the driver throws in the end, and DeadlineExceeded for a VM that stays.
 */
export async function untilGone(watching: Watching, request: Omit<MachineRequest, 'signal'>): Promise<void> {
  const { clock, signal } = watching;
  const begun = clock.monotonic();
  for (let ms = AGAIN.least; ; ms = Math.min(ms * 2, AGAIN.most)) {
    const isOver = clock.monotonic() - begun >= PATIENCE_MS;
    if (await isGone(watching, request).catch((error) => notYet(error, isOver))) return;
    if (isOver)
      throw new DriverError('DeadlineExceeded', 'the driver accepted its deletion, and says that it is still there');
    await clock.sleep(ms, signal);
  }
}

/** An error that passes says nothing, as long as there is time to ask again. */
function notYet(error: unknown, isOver: boolean): false {
  if (isOver || classOf(toDriverError(error).code, 'getMachineStatus') !== 'transient') throw error;
  return false;
}

/** Whether the driver no longer knows the VM, or cannot tell. Throws what it throws. */
export async function isGone({ driver, clock, signal: parent }: Watching, request: Omit<MachineRequest, 'signal'>) {
  const reason = () => new DOMException('getMachineStatus took too long', 'TimeoutError');
  const deadline = new Deadline({ clock, ms: deadlines.getMachineStatus, parent, reason });
  try {
    const vm = await unlessAborted(vmStatus(driver, { ...request, signal: deadline.signal }), deadline.signal);
    return vm === undefined || vm.assumed === true;
  } catch (error) {
    if (error instanceof DriverError && error.code === 'NotFound') return true;
    throw error;
  } finally {
    deadline.end();
  }
}
