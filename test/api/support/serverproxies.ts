import { Api } from '../../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../../controller/runtime/clock.ts';
import { until } from '../../../hack/lib/until.ts';
import { allowIn } from './chartrights.ts';
import type { Cluster } from './controlplane.ts';
import { Herd } from './herd.ts';
import { type OwnController, startInProcess } from './inprocesscontroller.ts';
import { Witness } from './observer.ts';
import { openWay, type Way } from './proxy.ts';
import { type Fault, sound } from './proxyfaults.ts';
import { Cloud } from './virtualcloud.ts';

/** The API servers that a controller stands between. */
export interface Servers {
  /** Has the Machines. */
  control: Cluster;
  /** Has the Nodes. */
  target: Cluster;
}

/** One of the two, as seen from the controller. */
export type Side = keyof Servers;

const PATIENCE = { timeoutMs: 60_000 };
/** The controller's words for an outage that begins. */
export const AWAY = 'API server is unreachable';
/** What the controller calls them. */
const NAMES: Readonly<Record<Side, string>> = { control: 'control', target: 'default' };
const TURNS = [AWAY, 'API server answers'];
/** What a probe reads (targets/probe.ts). */
const PROBES: Record<Side, string> = {
  control: 'GET /api/v1/namespaces/kube-system ',
  target: 'GET /api/v1/nodes/drover-probe ',
};

/**
 * A herd on one API server whose Nodes join another one, and a controller that reaches each over a way of its own. The
 * cloud is reached straight: a controller that has lost its API servers could still make and delete VMs.
 */
export class Between {
  readonly herd: Herd;
  /** The target, past its way. */
  readonly target: Api;
  readonly witness = new Witness();
  readonly cloud: Cloud;
  readonly #ways: Record<Side, Way>;
  readonly #flags: readonly string[];
  #life = new AbortController();
  #controller: OwnController | undefined;

  private constructor(herd: Herd, target: Api, { ways, flags }: { ways: Record<Side, Way>; flags: readonly string[] }) {
    this.herd = herd;
    this.target = target;
    this.cloud = new Cloud(target, (what, name) => this.witness.note(`${what}: ${name}`));
    this.#ways = ways;
    this.#flags = flags;
  }

  /** Gives the herd its namespace, and starts the controller with these flags. */
  static async of({ control, target }: Servers, flags: readonly string[]): Promise<Between> {
    const herd = new Herd().settle(control, await control.namespace('between'));
    const ways = { control: await wayTo(control), target: await wayTo(target) };
    const between = new Between(herd, new Api({ connection: target.admin, clock }), { ways, flags });
    await between.witness.follow(herd);
    await between.start();
    return between;
  }

  /** Starts a controller that knows nothing; throws when it cannot begin. */
  async start(): Promise<void> {
    const connections = { control: this.#ways.control.connection, target: this.#ways.target.connection };
    this.#life = new AbortController();
    const { signal } = this.#life;
    const options = { flags: this.#flags, connections, signal };
    this.#controller = await startInProcess(this.herd, this.cloud.driver(), options);
  }

  /** Starts a controller as often as it cannot begin, as a kubelet does. */
  async startUntilItWorks(): Promise<void> {
    await until('the controller to begin', () => this.start().then(() => true), PATIENCE);
  }

  /**
   * Resolves once a controller that has just begun to start probes this server, a second time: the first read may be another.
   * From then on it knows how long the server was away; of what was before it knows nothing.
   */
  async whenProbed(side: Side): Promise<void> {
    const asked = () => this.#ways[side].asked(PROBES[side]);
    const before = asked();
    await until(`the controller to probe the ${side} server`, () => asked() > before + 1, PATIENCE);
  }

  /** Ends the controller in the midst of whatever it does: nothing that it knew is left. */
  kill(): void {
    this.#life.abort();
  }

  /** Breaks the ways to these servers. */
  break(sides: readonly Side[], fault: Fault): void {
    for (const side of sides) this.#ways[side].set(fault);
  }

  /** Makes all ways sound again. */
  mend(): void {
    for (const way of Object.values(this.#ways)) way.set(sound);
  }

  /** Resolves once the controller says that these servers are away. */
  async whenAway(sides: readonly Side[]): Promise<void> {
    const isAway = (side: Side) => this.told(side).at(-1) === AWAY;
    await until(`${sides} to be away`, () => sides.every(isAway), PATIENCE);
  }

  /** What the controller has said of a server, oldest first: that it is away, that it answers. */
  told(side: Side): string[] {
    const lines = this.#controller?.log.lines ?? [];
    return lines
      .filter(({ message, fields }) => TURNS.includes(message) && fields['server'] === NAMES[side])
      .map(({ message }) => message);
  }

  /** Ends it all; the Machines of the herd stay. */
  end(): void {
    this.kill();
    this.witness.end();
    for (const way of Object.values(this.#ways)) way.close();
  }
}

/** Gives the chart's account its rights on both servers; to be done before the first controller is between them. */
export async function allow({ control, target }: Servers): Promise<void> {
  for (const cluster of [control, target]) await allowIn(cluster);
}

const wayTo = async (cluster: Cluster): Promise<Way> =>
  openWay((await cluster.serviceAccount('drover-system', 'drover-controller')).connection);
