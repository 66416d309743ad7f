import { ANNOTATION_CONFIRMED } from '../../../schemas/keys.ts';
import { at, BORN, inPhase, machineSet, node } from '../../../test/fixtures/objects.ts';
import { herdOf, ownedBy } from '../../model/ownership.ts';
import { FakeClock } from '../../runtime/clock.fake.ts';
import { FakeLog } from '../../runtime/observability/log.fake.ts';
import { Census, placeOf } from '../../safety/meltdown/census.ts';
import type { InFlightCalls } from '../calls/inflight.ts';
import { sourcesOf } from '../observe.fixture.ts';
import { type MachineSources, observe } from '../observe.ts';
import { statusOf } from '../status/status.ts';
import { plan } from './flow.ts';
import { mayBeGivenUp } from './health.ts';
import { idle } from './view.fixture.ts';
import type { VmFact } from './view.ts';

/** How often everything is looked at, seconds. */
const STEP_S = 30;
/** How long a VM takes to go, and its successor to come, seconds. */
const GOING_S = 60;
const COMING_S = 60;
const HEALTH_TIMEOUT = '10m';

/** Where the machines of a test are, and of which deployment each is. */
export interface ZonePlan {
  size: number;
  /** Of the machine with this number; one zone and one deployment unless told otherwise. */
  zoneOf?(number: number): string;
  deploymentOf?(number: number): string;
  /** In which namespace it is; one deployment is in one namespace alone. */
  namespaceOf?(number: number): string;
  /** A backup brought the machines, and no driver has said anything of their VMs since. */
  restored?: boolean;
}

/**
 * Machines of a cluster, judged again and again as time passes: those that are given up go and have successors. Nodes and
 * VMs are as the test says.
 */
export class ZoneOverTime {
  readonly clock = new FakeClock(BORN);
  readonly log = new FakeLog();
  readonly census: Census;
  /** Numbers of the machines that were given up, and when, in seconds. */
  readonly givenUp: Array<{ number: number; at: number }> = [];
  readonly #sources: MachineSources;
  readonly #plan: Required<ZonePlan>;
  /** When a machine that was given up begins to go, is gone and is succeeded, by its number: seconds. */
  readonly #until = new Map<number, number>();
  #vms: (number: number) => VmFact['at'] = () => 'present';

  constructor(plan: ZonePlan) {
    const {
      size,
      zoneOf = () => 'a',
      deploymentOf = () => 'pool',
      namespaceOf = () => 'herd',
      restored = false,
    } = plan;
    this.#plan = { size, zoneOf, deploymentOf, namespaceOf, restored };
    const sets = new Map(this.#numbers.map((number) => [deploymentOf(number), this.#set(number)]));
    const sources = sourcesOf(this.#machine(0), { sets: [...sets.values()] });
    const limits = { outagePercent: 55, budget: { percent: 10 } };
    const place = (one: Parameters<typeof placeOf>[1]) => placeOf(sources, one);
    this.census = new Census({ ...sources, clock: this.clock, log: this.log, limits, placeOf: place });
    this.#sources = { ...sources, census: this.census, clock: this.clock, calls: this.#calls() };
    for (const number of this.#numbers) this.#appear(number);
  }

  /** Makes Nodes ready or not. */
  nodes(numbers: readonly number[], ready: boolean): void {
    const status = { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] } as const;
    for (const number of numbers)
      this.#targetNodes.put({ ...this.#node(number), status: { conditions: [...status.conditions] } });
  }

  /** Somebody deletes Nodes. */
  withoutNodes(numbers: readonly number[]): void {
    for (const number of numbers) this.#targetNodes.drop(this.#node(number));
  }

  /** From now on this is what the driver says of VMs. */
  vms(says: (number: number) => VmFact['at']): void {
    this.#vms = says;
  }

  /** Lets seconds pass. */
  async pass(seconds: number): Promise<void> {
    for (let left = seconds; left > 0; left -= STEP_S) {
      await this.clock.advance(STEP_S * 1000);
      for (const number of this.#numbers) this.#look(number);
    }
  }

  /** What the machines say, each reason once. */
  get reasons(): string[] {
    return [...new Set(this.#sources.machines.list().map(({ status }) => status?.currentStep?.reason ?? ''))].sort();
  }

  get #numbers(): number[] {
    return Array.from({ length: this.#plan.size }, (_, number) => number);
  }

  get #seconds(): number {
    return (this.clock.now() - BORN) / 1000;
  }

  get #targetNodes() {
    const fact = this.#sources.targets.of(this.#machine(0));
    if (fact.at !== 'open') throw new Error('the fixture has one target');
    return fact.target.nodes;
  }

  #look(number: number): void {
    const one = this.#sources.machines.get(this.#key(number));
    const until = this.#until.get(number);
    if (until !== undefined && this.#seconds >= until) this.#moveOn(number);
    else if (one && until === undefined) this.#judge(number);
  }

  #judge(number: number): void {
    const { machines, permits, census } = this.#sources;
    const view = observe(this.#sources, this.#key(number));
    const status = view && statusOf(view, plan(view), at(this.#seconds));
    if (!view || !status) return;
    const { machine } = view;
    if (status.currentStatus?.phase === 'Failed' && mayBeGivenUp(machine)) {
      permits.take(herdOf(this.#sources, machine)?.id ?? '', machine, this.clock.monotonic());
      census.givenUp(machine);
      this.givenUp.push({ number, at: this.#seconds });
      this.#until.set(number, this.#seconds + GOING_S);
    }
    machines.put({ ...machine, status, metadata: { ...machine.metadata, resourceVersion: String(view.now) } });
  }

  /** It is gone, and later succeeded. */
  #moveOn(number: number): void {
    const machine = this.#sources.machines.get(this.#key(number));
    this.#until.delete(number);
    if (machine) {
      this.#sources.machines.drop(machine);
      this.#until.set(number, this.#seconds + COMING_S);
    } else this.#appear(number);
  }

  #appear(number: number): void {
    this.#targetNodes.put(this.#node(number));
    this.#sources.machines.put(this.#machine(number));
  }

  #key(number: number): string {
    return `${this.#plan.namespaceOf(number)}/m${number}`;
  }

  #set(number: number) {
    return setOf(this.#plan.deploymentOf(number), this.#plan.namespaceOf(number));
  }

  #machine(number: number) {
    const name = `m${number}`;
    return inPhase('Running', this.clock ? this.#seconds : 0, {
      metadata: {
        name,
        uid: `uid-${name}`,
        namespace: this.#plan.namespaceOf(number),
        labels: { node: name },
        ...(this.#plan.restored && {
          annotations: { [ANNOTATION_CONFIRMED]: `uid-before ${at(0)} virtual:///${name}` },
        }),
        ownerReferences: [ownedBy(this.#set(number), 'MachineSet')],
      },
      spec: { providerID: `virtual:///${name}`, healthTimeout: HEALTH_TIMEOUT },
    });
  }

  #node(number: number) {
    const name = `m${number}`;
    const labels = {
      'topology.kubernetes.io/zone': this.#plan.zoneOf(number),
      'node.gardener.cloud/machine-name': name,
    };
    const annotations = {
      'machine.sapcloud.io/machine': name,
      'machine.sapcloud.io/cluster-namespace': this.#plan.namespaceOf(number),
    };
    const metadata = { name, uid: `uid-node-${name}`, labels, annotations };
    return node({ metadata, spec: { providerID: `virtual:///${name}` } });
  }

  /** A driver that says the same of a VM all the time. */
  #calls(): InFlightCalls {
    const fact = (uid: string): VmFact => {
      const number = Number(uid.replace('uid-m', ''));
      const [says, name] = [this.#vms(number), `m${number}`];
      if (says === 'absent') return { at: 'absent', since: BORN };
      return says === 'unknown'
        ? { at: says }
        : { at: says, providerID: `virtual:///${name}`, nodeName: name, initialized: true };
    };
    const reported = (uid: string) => {
      const name = uid.replace('uid-', '');
      if (this.#plan.restored) return undefined;
      return { providerID: `virtual:///${name}`, nodeName: name };
    };
    const calls = { reported, vm: fact, fact: () => ({ ...idle, askedAt: this.clock.now() }) };
    return calls as unknown as InFlightCalls;
  }
}

const setOf = (deployment: string, namespace: string) => {
  const owner = ownedBy({ metadata: { name: deployment, uid: `uid-${deployment}` } }, 'MachineDeployment');
  return machineSet({
    metadata: { name: `set-${deployment}`, namespace, uid: `uid-set-${deployment}`, ownerReferences: [owner] },
  });
};
