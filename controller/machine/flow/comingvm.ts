import { isInline } from '../../model/class.ts';
import { confirmedAt } from '../../model/vmconfirmed.ts';
import { neverBegun } from './classresolution.ts';
import { staysBehind } from './retention.ts';
import { youngUntil } from './vanished.ts';
import type { MachineView } from './view.ts';
import { comesUntil } from './vmdoubt.ts';

/** A VM that was deleted so soon after its creation was never asked about, milliseconds. */
const NEW_MS = 2_000;

/**
 * Until when there may come a VM of a Machine that goes, milliseconds since the epoch: of a creation that ended without an answer, or one so young that the
 * cloud has told nobody of it. Undefined where none comes. An inline class has nobody who lists its VMs (hack/decisions/0022).
 */
export function vmComesUntil(view: MachineView): number | undefined {
  const { machine, now } = view;
  if (isInline(machine) || staysBehind(view) || neverBegun(view)) return undefined;
  const until = Math.max(comesUntil(view), isUntold(view) ? youngUntil(view) : 0);
  return until > now ? until : undefined;
}

/** Neither its Node nor the cloud, asked, has ever told of the VM. */
function isUntold(view: MachineView): boolean {
  const { machine, calls, vm } = view;
  const isMade = machine.spec?.providerID !== undefined || calls.known === true;
  if (!isMade || youngUntil(view) <= view.now) return false;
  const { at = 0, denied } = calls.deletion ?? {};
  return calls.deletion ? denied === true || at - (confirmedAt(machine) ?? 0) < NEW_MS : vm.at === 'absent';
}
