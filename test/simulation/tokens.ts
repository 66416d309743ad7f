import type { MachineRequest } from '../../controller/drivers/sdk/driver.ts';
import type { Secret } from '../../controller/runtime/k8s/core.ts';
import { keyOf } from '../../controller/runtime/k8s/object.ts';
import type { CallMethod } from './driver.ts';
import type { Server } from './server.ts';

/** User data of the simulated class. */
export const USER_DATA = '<<MACHINE_NAME>> joins with <<BOOTSTRAP_TOKEN>>';

/** Looks at the user data that new VMs get. */
export class TokenGuard {
  /** UID of the Machine by token. */
  readonly #owners = new Map<string, string>();

  /** What is wrong with the user data of a call; undefined for nothing. */
  faultOf(method: CallMethod, { machine, secret }: MachineRequest): string | undefined {
    if (method !== 'createMachine') return undefined;
    const { name, uid = '' } = machine.metadata;
    const [, named, token = ''] = /^(\S+) joins with ([0-9a-z]{6}\.[0-9a-z]{16})$/.exec(secret['userData'] ?? '') ?? [];
    if (named !== name) return `the user data of ${keyOf(machine)} is "${secret['userData']}"`;
    const owner = this.#owners.get(token) ?? uid;
    this.#owners.set(token, owner);
    return owner === uid ? undefined : `${keyOf(machine)} gets the token of another machine`;
  }
}

/** A token that is there although every machine runs. */
export function leftToken({ api }: Server): string | undefined {
  const [left] = (api.store.list('/secrets') as Secret[]).filter(
    ({ type }) => type === 'bootstrap.kubernetes.io/token',
  );
  return left && `${left.metadata.name} is left of ${left.metadata.annotations?.['drover.dev/machine']}`;
}
