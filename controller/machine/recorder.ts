import { LABEL_ZONE } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import type { DriverMethod } from '../drivers/sdk/driver.ts';
import { codes } from '../drivers/sdk/errors.ts';
import { type Decision, reasonOf } from '../flow/flow.ts';
import { knownClass } from '../model/class.ts';
import { controllerOf } from '../runtime/k8s/object.ts';
import type { Labels, Metrics } from '../runtime/observability/metrics.ts';
import type { Cache } from '../runtime/watch/cache.ts';
import type { CallEnd } from './calls/inflight.ts';
import { type Deletion, deletionOf } from './flow/outage.ts';
import { stepsBehind } from './flow/steptraits.ts';
import type { MachineAction, MachineView } from './flow/view.ts';

/** What measuring needs. */
export interface MeterParts {
  metrics: Metrics;
  clock: { now(): number };
  machines: Cache<Machine>;
  sets: Cache<MachineSet>;
  classes: Cache<MachineClass>;
}

/** Operations as providers of MCM name them in `mcm_cloud_api_driver_*` (hack/spec/mcm.md 10.2); other methods keep our name. */
const OPERATIONS: Partial<Record<DriverMethod, string>> = {
  createMachine: 'create_machine',
  initializeMachine: 'initialize_machine',
  deleteMachine: 'delete_machine',
  listMachines: 'list_machine',
  getMachineStatus: 'get_machine_status',
  getVolumeIDs: 'get_volume_ids',
  updateMachine: 'update_machine',
};

/** Steps of the leaving flow after the drain: as soon as one of them decides, it has ended. */
const DRAINED: ReadonlySet<string> = new Set(stepsBehind('Drained'));

type DrainRecord = NonNullable<Deletion['drain']>;

/** A drain by force ended at its deadline, or after it. */
function resultOf({ deadline, endedAt }: DrainRecord): string {
  if (!endedAt) return 'interrupted';
  return Date.parse(endedAt) >= Date.parse(deadline) ? 'forced' : 'succeeded';
}

/** Counts and measures what happens to Machines. */
export class Meter {
  readonly #parts: MeterParts;

  constructor(parts: MeterParts) {
    this.#parts = parts;
  }

  /** A driver call ended. */
  callEnded({ call, ms, error }: CallEnd): void {
    const { metrics, machines, classes } = this.#parts;
    const machine = machines.get(call.key);
    const provider = (machine && knownClass(classes, machine)?.provider) ?? '';
    const operation = OPERATIONS[call.method] ?? call.method;
    const service = call.method;
    metrics.count('mcm_cloud_api_requests_total', { provider, service });
    if (error) {
      metrics.count('mcm_cloud_api_requests_failed_total', { provider, service });
      const error_code = String(codes[error.code]);
      metrics.count('mcm_cloud_api_driver_requests_failed_total', { provider, operation, error_code });
      return;
    }
    metrics.observe('mcm_cloud_api_api_request_duration_seconds', ms / 1000, { provider, service });
    metrics.observe('mcm_cloud_api_driver_request_duration_seconds', ms / 1000, { provider, operation });
    if (machine) this.#measure(machine, call.method, ms);
  }

  /** What a decision, and the status that was written after it, say that the Machine went through. */
  passed({ machine }: MachineView, decision: Decision<MachineAction>, status: Machine['status']): void {
    const phase = status?.currentStatus?.phase;
    const moved = phase !== undefined && phase !== machine.status?.currentStatus?.phase;
    if (moved && phase === 'Running' && status?.lastOperation?.type === 'Create') this.#joined(machine);
    if (moved && reasonOf(decision) === 'RegistrationTimedOut') this.#failedToJoin(machine);
    const deletion = deletionOf(machine);
    const drained = machine.status?.currentStep?.name === 'Drained' && DRAINED.has(decision.step);
    if (drained && deletion?.drain) this.#drained(machine, deletion.drain);
  }

  #joined(machine: Machine): void {
    const age = this.#secondsSince(machine.metadata.creationTimestamp);
    this.#parts.metrics.observe('drover_machine_create_to_running_seconds', age);
    this.#set('mcm_machine_join_duration_seconds', machine, age);
  }

  #failedToJoin(machine: Machine): void {
    const pool = this.#poolOf(machine);
    if (pool) this.#parts.metrics.count('mcm_machine_num_failed_join', pool);
  }

  #drained(machine: Machine, drain: DrainRecord): void {
    const seconds = this.#secondsSince(drain.startedAt);
    this.#parts.metrics.observe('drover_drain_duration_seconds', seconds, { result: resultOf(drain) });
    const { namespace = '', machine_deployment } = this.#poolOf(machine) ?? {};
    if (!machine_deployment) return;
    const labels = { namespace, machine_deployment };
    this.#parts.metrics.set('mcm_machine_drain_duration_seconds', seconds, labels);
  }

  #measure(machine: Machine, method: DriverMethod, ms: number): void {
    const { creationTimestamp, deletionTimestamp } = machine.metadata;
    if (method === 'createMachine')
      this.#set('mcm_machine_create_duration_seconds', machine, this.#secondsSince(creationTimestamp));
    if (method === 'initializeMachine') this.#set('mcm_machine_initialize_duration_seconds', machine, ms / 1000);
    if (method === 'deleteMachine')
      this.#set('mcm_machine_delete_duration_seconds', machine, this.#secondsSince(deletionTimestamp));
  }

  #set(name: string, machine: Machine, seconds: number): void {
    const pool = this.#poolOf(machine);
    if (pool) this.#parts.metrics.set(name, seconds, pool);
  }

  /** A machine of no deployment is measured for none, as MCM does. */
  #poolOf(machine: Machine): Labels | undefined {
    const { namespace = '', labels } = machine.metadata;
    const deployment = labels?.['name'] ?? this.#deploymentOf(machine);
    if (!deployment) return undefined;
    const instance_type = knownClass(this.#parts.classes, machine)?.nodeTemplate?.instanceType ?? '';
    const zone = machine.spec?.nodeTemplate?.metadata?.labels?.[LABEL_ZONE] ?? '';
    return { namespace, machine_deployment: deployment, instance_type, zone };
  }

  #deploymentOf(machine: Machine): string | undefined {
    const owner = controllerOf(machine);
    const set = owner && this.#parts.sets.get(`${machine.metadata.namespace}/${owner.name}`);
    return set && controllerOf(set)?.name;
  }

  #secondsSince(time: string | undefined): number {
    const { clock } = this.#parts;
    return Math.max(0, clock.now() - (Date.parse(time ?? '') || clock.now())) / 1000;
  }
}
