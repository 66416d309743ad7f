import { isFrozen } from '../../controller/model/freeze.ts';
import type { Node } from '../../controller/runtime/k8s/core.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { noFaults } from '../simulation/faultrates.ts';
import { Findings } from '../simulation/finding.ts';
import { classOf, cloudSecretOf } from '../simulation/herd.ts';
import { freezeOf } from '../simulation/overshoots.ts';
import { chanceOf, type Stage, stageOf } from '../simulation/stage.ts';
import { silent } from '../simulation/trace.ts';
import { WorldClock } from '../world/clock.ts';

const NAMESPACE = '/api/v1/namespaces/herd';
const OURS = '/apis/machine.sapcloud.io/v1alpha1/namespaces/herd';

/** MCM's suite looks every 2 s; clouds here may take 5 minutes to delete a VM, where it waits as long for all. */
const TIMES = { pollingMs: 2_000, timeoutMs: 1_800_000 };

/** A seed whose machines join a cluster. */
const SEED = 3;

/** As many Nodes of others are there from the beginning. */
export const INITIAL = 2;

/** What MCM's suite of integration tests has at hand, here in a world in memory in which nothing fails. */
export class McmSuite {
  readonly stage: Stage;
  readonly #clock = new WorldClock();
  readonly #findings = new Findings();
  /** A set was frozen at some moment. */
  everFrozen = false;
  /** Most Nodes that there ever were at once. */
  mostNodes = 0;

  constructor() {
    const chance = chanceOf(SEED, 1);
    const parts = { seed: SEED, breach: undefined, chance, most: 8, clock: this.#clock, trace: silent };
    this.stage = stageOf({ ...parts, findings: this.#findings, faultRates: () => noFaults });
    if (!this.stage.joins) throw new Error(`the machines of seed ${SEED} join no cluster`);
    this.#watch();
    this.create('/api/v1/namespaces', { metadata: { name: 'herd' } });
    this.create(`${NAMESPACE}/secrets`, cloudSecretOf(this.stage));
    for (const name of ['test-mc-v1', 'test-mc-v2'])
      this.create(`${OURS}/machineclasses`, { ...classOf(), metadata: { name } });
    for (let index = 0; index < INITIAL; index += 1) this.#register(`node-of-others-${index}`);
    this.stage.processes.start();
  }

  /** All Nodes, and those of them that are Ready. */
  nodes(): { all: number; ready: number } {
    const nodes = this.stage.target.api.store.list('/nodes') as unknown as Node[];
    const isReady = ({ status }: Node) =>
      status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
    return { all: nodes.length, ready: nodes.filter(isReady).length };
  }

  deployment(): MachineDeployment | undefined {
    return this.stage.user.all('machinedeployments')[0];
  }

  sets(): MachineSet[] {
    return this.stage.user.all('machinesets');
  }

  create(path: string, body: object): void {
    this.#send('POST', path, body);
  }

  make(plural: string, body: object): void {
    this.create(`${OURS}/${plural}`, { apiVersion: 'machine.sapcloud.io/v1alpha1', ...body });
  }

  change(plural: string, name: string, body: object): void {
    this.#send('PATCH', `${OURS}/${plural}/${name}`, body);
  }

  delete(plural: string, name: string): void {
    this.#send('DELETE', `${OURS}/${plural}/${name}`);
  }

  /** Time passes until that is so; throws when it never is, or when a promise was broken on the way. */
  eventually(what: string, isSo: () => boolean): void {
    const end = this.#clock.now() + TIMES.timeoutMs;
    while (!isSo()) {
      if (this.#clock.now() >= end) throw new Error(`not within ${TIMES.timeoutMs / 1000} s: ${what}; ${this.#seen()}`);
      this.passes(TIMES.pollingMs);
    }
  }

  /** So much time passes, in milliseconds. */
  passes(ms: number): void {
    const until = this.#clock.now() + ms;
    this.#clock.after(ms, () => {});
    while (this.#clock.step(until));
    const { first } = this.#findings;
    if (first) throw new Error(`${first.invariant}: ${first.says}`);
  }

  /** MCM's way to count Nodes: all of them, and all Ready. */
  nodesBecome(more: number): void {
    const isSo = () => this.nodes().all === INITIAL + more && this.nodes().ready === INITIAL + more;
    this.eventually(`${more} Nodes more than initially, all Ready`, isSo);
  }

  #watch(): void {
    const { control, target } = this.stage;
    control.api.store.onWrite(({ resource, after }) => {
      if (resource !== 'machine.sapcloud.io/machinesets' || !after) return;
      this.everFrozen ||= isFrozen(freezeOf(after as MachineSet));
    });
    target.api.store.onWrite(({ resource }) => {
      if (resource === '/nodes') this.mostNodes = Math.max(this.mostNodes, this.nodes().all);
    });
  }

  #register(name: string): void {
    const status = { conditions: [{ type: 'Ready', status: 'True' }] };
    const body = JSON.stringify({ metadata: { name }, spec: { providerID: `others:///${name}` }, status });
    this.stage.target.handle('others', {
      method: 'POST',
      path: '/api/v1/nodes',
      contentType: 'application/json',
      body,
    });
  }

  #send(method: string, path: string, body?: object): void {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const request = { method, path, contentType, ...(body && { body: JSON.stringify(body) }) };
    const answer = this.stage.control.handle('user', request);
    if (!('watch' in answer) && answer.code >= 300)
      throw new Error(`${method} ${path}: ${answer.code} ${JSON.stringify(answer.body)}`);
  }

  #seen(): string {
    const machines = this.stage.user
      .all('machines')
      .map(({ metadata, status }) => [metadata.name, status?.currentStep]);
    return JSON.stringify({ nodes: this.nodes(), deployment: this.deployment()?.status, machines });
  }
}
