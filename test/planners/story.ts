import type { Machine } from '../../schemas/machine.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import { machineDeployment } from '../fixtures/objects.ts';
import { deploymentPass } from './deploymentpass.ts';
import { Herd } from './herd.ts';
import { setPasses } from './setpass.ts';
import { BAD } from './world.ts';

/** Passes over everything in one minute: enough for whatever follows from one change. */
const PASSES = 20;

const LETTERS: Readonly<Record<string, string>> = {
  Pending: 'P',
  Running: 'R',
  Terminating: 't',
  Unknown: 'U',
  Failed: 'F',
};

/**
 * What becomes of a deployment, minute by minute, in a world where nothing is left to chance: a machine is Pending (P) for a
 * minute, then Running (R), and Terminating (t) for a minute before it is gone, unless told otherwise; Unknown (U) and
 * Failed (F) it is only when the story says so.
 */
export class Story {
  readonly herd: Herd;
  readonly #lines: string[] = [];
  #minute = 0;
  #leavesIn = 1;
  #progress = '';

  /** A deployment of the class `a` whose machines run. */
  constructor(spec: Partial<MachineDeployment['spec']>) {
    const { spec: usual, ...rest } = machineDeployment();
    this.herd = new Herd({ ...rest, spec: { ...usual, ...spec } });
    this.patch({ spec: { template: { spec: { class: { name: 'a' } } } } });
    for (let minute = 0; minute < 3; minute += 1) this.#pass();
    this.#minute = 0;
    this.#lines.length = 0;
  }

  /** Somebody changes the deployment. */
  says(what: string, patch: object): this {
    this.#lines.push(`-- ${what}`);
    return this.patch(patch);
  }

  patch(patch: object): this {
    this.herd.patchDeployment(patch);
    return this;
  }

  /** From now on a VM needs so many minutes to go. */
  leavesIn(minutes: number): this {
    this.#lines.push(`-- a VM goes within ${minutes} minutes`);
    this.#leavesIn = minutes;
    return this;
  }

  /** From now on there may be so many machines: the API server refuses any other, as a quota does. */
  quota(machines: number): this {
    this.#lines.push(`-- a quota of ${machines} machines`);
    this.herd.quota = machines;
    return this;
  }

  /** The first machines of the class come to a phase. */
  turns(name: string, phase: 'Unknown' | 'Failed' | 'Running', count = 1): this {
    this.#lines.push(`-- ${count} of class ${name}: ${phase}`);
    const some = this.herd.machines.filter(
      ({ spec, metadata }) => spec?.class?.name === name && !metadata.deletionTimestamp,
    );
    for (const machine of some.slice(0, count)) this.#comesTo(machine, phase);
    return this;
  }

  /** Somebody edits the template of the newest set. */
  editsSet(name: string): this {
    this.#lines.push(`-- somebody edits the newest set: class ${name}`);
    const newest = this.herd.sets.at(-1);
    if (newest) this.herd.patchSet(newest, { spec: { template: { spec: { class: { name } } } } });
    return this;
  }

  /** So many minutes go by, or fewer, if nothing happens any more. */
  passes(minutes: number): this {
    for (let minute = 0; minute < minutes; minute += 1) if (!this.#pass() && this.#isStill()) break;
    return this;
  }

  /** So many minutes go by, also if nothing happens. */
  wakes(minutes: number): this {
    for (let minute = 0; minute < minutes; minute += 1) this.#pass();
    return this;
  }

  /** All that happened. */
  text(): string {
    return `${this.#lines.join('\n')}\n`;
  }

  #pass(): boolean {
    this.#minute += 1;
    this.#timePasses();
    const done = new Set<string>();
    for (let pass = 0; pass < PASSES; pass += 1) {
      const what = deploymentPass(this.herd);
      if (what !== undefined && !QUIET.test(what)) done.add(what.split(' ')[1] ?? '');
      setPasses(this.herd, this.herd.sets);
    }
    this.#tellProgress(done);
    this.#lines.push(
      `${`${this.#minute}`.padStart(2)}  ${this.#sizes().padEnd(44)}  ${[...done].join(', ')}`.trimEnd(),
    );
    return [...done].some((what) => !what.startsWith('['));
  }

  /** What the condition `Progressing` says now, if it is something else. */
  #tellProgress(done: Set<string>): void {
    const told = this.herd.deployment.status?.conditions?.find(({ type }) => type === 'Progressing');
    const text = `${told?.status} ${told?.reason}`;
    if (text !== this.#progress && told) done.add(`[${text}]`);
    this.#progress = text;
  }

  #timePasses(): void {
    this.herd.now += 60_000;
    const gone = this.herd.now - this.#leavesIn * 60_000;
    this.herd.machines = this.herd.machines.filter(
      ({ metadata }) => !(Date.parse(metadata.deletionTimestamp ?? '') <= gone),
    );
    for (const machine of this.herd.machines) if (comesUp(machine)) this.#comesTo(machine, 'Running');
  }

  /** One that fails had not come up. */
  #comesTo(machine: Machine, phase: string): void {
    const type = machine.status?.currentStatus?.phase === 'Pending' ? 'Create' : 'HealthCheck';
    const failure = phase === 'Failed' && { lastOperation: { type, state: 'Failed', description: 'made up' } };
    this.herd.patchMachine(machine, {
      status: { ...failure, currentStatus: { phase, lastUpdateTime: this.herd.timestamp } },
    });
  }

  /** Of each set its class, how many machines it wants, and those that it has. */
  #sizes(): string {
    const shown = this.herd.facts().map(({ set, machines }) => {
      const letters = machines.map(({ status }) => LETTERS[status?.currentStatus?.phase ?? ''] ?? '?');
      return `${set.spec?.template?.spec?.class?.name} ${set.spec?.replicas} ${letters.sort().join('')}`.trimEnd();
    });
    return shown.join(' | ');
  }

  #isStill(): boolean {
    return this.herd.machines.every((machine) => !machine.metadata.deletionTimestamp && !comesUp(machine));
  }
}

/** Actions that change nothing about machines. */
const QUIET = /^Synced /;

const comesUp = ({ status, spec }: Machine): boolean =>
  status?.currentStatus?.phase === 'Pending' && !spec?.class?.name?.startsWith(BAD);
