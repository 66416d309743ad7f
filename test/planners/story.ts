import { LABEL_CANDIDATE, LABEL_SELECTED, LABEL_UPDATE_RESULT } from '../../schemas/keys.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import { machineDeployment } from '../fixtures/objects.ts';
import { Agents } from './agent.ts';
import { deploymentPass } from './deploymentpass.ts';
import { Herd } from './herd.ts';
import { join, machinePass } from './machinepass.ts';
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
  InPlaceUpdating: 'I',
  InPlaceUpdateSuccessful: 'S',
  InPlaceUpdateFailed: 'X',
};

/**
 * What becomes of a deployment, minute by minute, in a world where nothing is left to chance: a machine is Pending (P) for a
 * minute, then Running (R), and Terminating (t) for a minute before it is gone, unless told otherwise; Unknown (U) and
 * Failed (F) it is only when the story says so. In an update in place its Node is marked (c), selected (s) and updated (I) within
 * another minute; then the machine moves into the new set (u) and runs, unless the update fails (X).
 */
export class Story {
  readonly herd: Herd;
  readonly #agents: Agents;
  readonly #lines: string[] = [];
  #minute = 0;
  #leavesIn = 1;
  #progress = '';

  /** A deployment of the class `a` whose machines run. */
  constructor(spec: Partial<MachineDeployment['spec']>) {
    const { spec: usual, ...rest } = machineDeployment();
    this.herd = new Herd({ ...rest, spec: { ...usual, ...spec } });
    this.#agents = new Agents(this.herd);
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

  /** So many of the next updates in place fail, or nothing is ever heard of them. */
  fails(count: number): this {
    this.#lines.push(`-- the next updates fail: ${count}`);
    this.#agents.next.failing = count;
    return this;
  }

  /** Nothing is heard any more of so many of the next updates in place. */
  hangs(count: number): this {
    this.#lines.push(`-- the next updates never end: ${count}`);
    this.#agents.next.silent = count;
    return this;
  }

  /** The Nodes of the first machines of a set of this class are not Ready any more, or again. */
  turnsNodes(name: string, ready: 'True' | 'False', count = 1): this {
    this.#lines.push(`-- Nodes of class ${name}, Ready ${ready}: ${count}`);
    const own = this.herd.facts().filter(({ set }) => set.spec?.template?.spec?.class?.name === name);
    const condition = { type: 'Ready', status: ready, lastTransitionTime: this.herd.timestamp };
    for (const machine of own.flatMap(({ machines }) => machines).slice(0, count))
      this.herd.changeNode(machine, { condition });
    return this;
  }

  /** Somebody selects Nodes for an update in place, of candidates that are not selected. */
  selects(count: number): this {
    this.#lines.push(`-- somebody selects ${count}`);
    const isWaiting = (machine: Machine) => this.#letterOf(machine) === 'c';
    for (const machine of this.herd.machines.filter(isWaiting).slice(0, count))
      this.herd.changeNode(machine, { labels: { [LABEL_SELECTED]: 'true' } });
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
    const nodes = this.herd.nodes ? [this.#agents.left()] : [];
    return `${[...this.#lines, ...nodes].join('\n')}\n`;
  }

  #pass(): boolean {
    this.#minute += 1;
    this.#timePasses();
    this.#agents.work();
    const done = new Set<string>();
    for (let pass = 0; pass < PASSES; pass += 1) {
      const what = deploymentPass(this.herd);
      if (what !== undefined && !QUIET.test(what)) done.add(what.split(' ')[1] ?? '');
      setPasses(this.herd, this.herd.sets);
      for (const machine of this.herd.machines) machinePass(this.herd, machine);
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
    const there = new Set(this.herd.machines.map(({ metadata }) => metadata.uid));
    for (const uid of this.herd.nodes?.keys() ?? []) if (!there.has(uid)) this.herd.nodes?.delete(uid);
  }

  /** One that fails had not come up. */
  #comesTo(machine: Machine, phase: string): void {
    const type = machine.status?.currentStatus?.phase === 'Pending' ? 'Create' : 'HealthCheck';
    const failure = phase === 'Failed' && { lastOperation: { type, state: 'Failed', description: 'made up' } };
    this.herd.patchMachine(machine, {
      status: { ...failure, currentStatus: { phase, lastUpdateTime: this.herd.timestamp } },
    });
    if (this.herd.nodes && phase === 'Running') join(this.herd, machine);
  }

  /** Of each set its class, how many machines it wants, and those that it has. */
  #sizes(): string {
    const shown = this.herd.facts().map(({ set, machines }) => {
      const letters = machines.map((machine) => this.#letterOf(machine));
      return `${set.spec?.template?.spec?.class?.name} ${set.spec?.replicas} ${letters.sort().join('')}`.trimEnd();
    });
    return shown.join(' | ');
  }

  /** Its phase; of one that runs whether its Node waits for an update in place (c), is emptied for one (s), or is updated (u). */
  #letterOf({ status, metadata }: Machine): string {
    const phase = status?.currentStatus?.phase ?? '';
    const { labels = {} } = this.herd.nodes?.get(metadata.uid ?? '')?.metadata ?? {};
    if (phase === 'Running' && labels[LABEL_UPDATE_RESULT] === 'successful') return 'u';
    if (phase === 'Running' && labels[LABEL_SELECTED] !== undefined) return 's';
    if (phase === 'Running' && labels[LABEL_CANDIDATE] !== undefined) return 'c';
    return LETTERS[phase] ?? '?';
  }

  #isUpdating(machine: Machine): boolean {
    return ['s', 'I', 'S', 'X'].includes(this.#letterOf(machine));
  }

  #isStill(): boolean {
    const isMoving = (machine: Machine) =>
      machine.metadata.deletionTimestamp || comesUp(machine) || this.#isUpdating(machine);
    return !this.herd.machines.some(isMoving);
  }
}

/** Actions that change nothing about machines. */
const QUIET = /^NewMachineSetSynced /;

const comesUp = ({ status, spec }: Machine): boolean =>
  status?.currentStatus?.phase === 'Pending' && !spec?.class?.name?.startsWith(BAD);
