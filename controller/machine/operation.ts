import type { Machine } from '../../schemas/machine.ts';
import { type Decision, reasonOf } from '../flow.ts';
import { updateOperation } from './hotupdate.ts';
import type { MachineAction, MachineView } from './view.ts';

type Status = NonNullable<Machine['status']>;
type Phase = NonNullable<NonNullable<Status['currentStatus']>['phase']>;
type Operation = NonNullable<Status['lastOperation']>;

/** What is going on, in MCM's words; undefined leaves what stands there (MCM 6.4 to 6.7). */
export function operationOf(view: MachineView, decision: Decision<MachineAction>, phase: Phase): Operation | undefined {
  const { machine, calls } = view;
  const { name } = machine.metadata;
  const before = machine.status?.currentStatus?.phase ?? '';
  const message = 'message' in decision.outcome ? (decision.outcome.message ?? '') : '';
  if (phase === 'Terminating') {
    const state = calls.failure ? 'Failed' : 'Processing';
    return {
      type: 'Delete',
      state,
      description: describe(`Deleting machine: ${decision.step}`, view),
      ...errorCode(view),
    };
  }
  if (phase === 'CrashLoopBackOff')
    return {
      type: 'Create',
      state: 'Failed',
      description: describe('Creating the VM failed', view),
      ...errorCode(view),
    };
  if (phase === 'Failed') {
    const type = decision.step === 'Healthy' && before !== 'Pending' ? 'HealthCheck' : failedType(decision);
    return { type, state: 'Failed', description: `Machine ${name} failed: ${message}` };
  }
  if (phase === before) return updateOperation(view);
  if (phase === 'Pending')
    return { type: 'Create', state: 'Processing', description: 'Creating machine on cloud provider' };
  if (phase === 'Available')
    return { type: 'Create', state: 'Successful', description: 'Created machine on cloud provider' };
  if (phase === 'Running') return joinedOperation(machine);
  if (phase === 'Unknown')
    return {
      type: 'HealthCheck',
      state: 'Processing',
      description: `Machine ${name} is unhealthy: ${reasonOf(decision)}`,
    };
  return undefined;
}

function failedType({ outcome }: Decision<MachineAction>): 'Create' | 'HealthCheck' {
  return outcome.kind === 'fail' && outcome.reason === 'VmVanished' ? 'HealthCheck' : 'Create';
}

function joinedOperation({ metadata: { name }, status }: Machine): Operation {
  const last = status?.lastOperation;
  const first = !last || (last.type === 'Create' && last.state !== 'Successful');
  return first
    ? { type: 'Create', state: 'Successful', description: `Machine ${name} successfully joined the cluster` }
    : { type: 'HealthCheck', state: 'Successful', description: `Machine ${name} successfully re-joined the cluster` };
}

const describe = (what: string, { calls }: MachineView): string =>
  calls.failure ? `${what}. Cloud provider message - ${calls.failure.message}` : what;

const errorCode = ({ calls }: MachineView): { errorCode?: string } =>
  calls.failure ? { errorCode: calls.failure.code } : {};

/** Keeps the old time when nothing but the time would change, so that the same news is written once. */
export function dated(before: Operation | undefined, next: Operation, timestamp: string): Operation {
  const same =
    before !== undefined &&
    before.type === next.type &&
    before.state === next.state &&
    before.description === next.description &&
    (before.errorCode ?? '') === (next.errorCode ?? '');
  return { ...next, lastUpdateTime: same ? before.lastUpdateTime : timestamp };
}
