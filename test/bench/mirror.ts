import { Api } from '../../controller/runtime/client/api.ts';
import { noCredentials } from '../../controller/runtime/client/connection.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { nodes } from '../../controller/runtime/k8s/core.ts';
import { createLog } from '../../controller/runtime/observability/log.ts';
import { systemRandom as random } from '../../controller/runtime/random.ts';
import { Cache } from '../../controller/runtime/watch/cache.ts';
import { runCache } from '../../controller/runtime/watch/watch.ts';
import { LABEL_CLUSTER, LABEL_NODE } from '../../schemas/keys.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { quantile } from './figures.ts';

/** Times from a change of a Node until its Machine shows it, in milliseconds. */
export interface Latencies {
  p50: number;
  p99: number;
  most: number;
  /** Changes that no Machine showed in time. */
  lost: number;
}

/** What a round is about: indexes of clusters. */
export interface Round {
  /** Their Nodes are changed, at a steady pace. */
  measured: readonly number[];
  /** Their Machines are changed meanwhile, so that the controller has work that needs the target. */
  beside: readonly number[];
}

interface MirrorParts {
  /** Of the Machines. */
  api: Api;
  namespace: string;
  /** Clusters by their names, and the URLs of their targets. */
  targets: ReadonlyArray<{ name: string; server: string }>;
  signal: AbortSignal;
}

const CHANGES = 1_200;
/** Time between two changes, milliseconds; the controller is idle for most of it. */
const PACE_MS = 25;
/** So many changes of Nodes go with one of a Machine beside. */
const BESIDE = 4;
/** A change that is not shown by then is lost, milliseconds. */
const PATIENCE_MS = 30_000;
/** A type of condition that says nothing about health. */
const MARK = 'Bench';

/** Changes Nodes of targets, and sees when their Machines show it. */
export class Mirror {
  readonly #parts: MirrorParts;
  readonly #targets: readonly Api[];
  readonly #machines: Cache<Machine>;
  /** What to call when a Machine shows a mark. */
  readonly #awaited = new Map<string, () => void>();
  #changes = 0;

  private constructor(parts: MirrorParts) {
    this.#parts = parts;
    const to = (server: string) => new Api({ connection: { server, credentials: noCredentials }, clock });
    this.#targets = parts.targets.map(({ server }) => to(server));
    this.#machines = new Cache({ indexes: { cluster: ({ metadata }) => [metadata.labels?.[LABEL_CLUSTER] ?? ''] } });
    this.#machines.onChange(({ after }) => this.#awaited.get(markedBy(after)?.reason ?? '')?.());
  }

  /** Resolves once it sees the Machines of the namespace; it ends with the signal. */
  static async open(parts: MirrorParts): Promise<Mirror> {
    const mirror = new Mirror(parts);
    const log = createLog({ clock, level: 'error', sink: process.stderr });
    void runCache({ ...parts, resource: resources.machines, cache: mirror.#machines, clock, random, log });
    await mirror.#machines.whenSynced(parts.signal);
    return mirror;
  }

  /** One round: half a minute. */
  async latencies({ measured, beside }: Round): Promise<Latencies> {
    const work: Array<Promise<number | undefined>> = [];
    const touches: Array<Promise<unknown>> = [];
    for (let n = 0; n < CHANGES; n++) {
      work.push(this.#change(measured[n % measured.length] ?? 0));
      if (n % BESIDE === 0) touches.push(this.#touch(beside[(n / BESIDE) % beside.length] ?? 0));
      await Bun.sleep(PACE_MS);
    }
    await Promise.all(touches);
    const times = (await Promise.all(work)).filter((time) => time !== undefined);
    const lost = CHANGES - times.length;
    return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), most: Math.max(...times), lost };
  }

  /** Milliseconds until the Machine showed it; undefined when that took too long. */
  async #change(cluster: number): Promise<number | undefined> {
    const mark = `Change${this.#changes++}`;
    const shown = new Promise<number>((resolve) => this.#awaited.set(mark, () => resolve(performance.now())));
    const began = performance.now();
    const machine = this.#anyOf(cluster);
    const name = machine.metadata.labels?.[LABEL_NODE] ?? '';
    // A condition of which only the reason changes is shown later, with others.
    const status = markedBy(machine)?.status === 'True' ? 'False' : 'True';
    const body = { status: { conditions: [{ type: MARK, status, reason: mark }] } };
    await this.#targets[cluster]?.patch(nodes, { name }, { type: 'strategic', body }, { subresource: 'status' });
    const at = await Promise.race([shown, Bun.sleep(PATIENCE_MS)]);
    this.#awaited.delete(mark);
    return at === undefined ? undefined : at - began;
  }

  #touch(cluster: number): Promise<unknown> {
    const body = { metadata: { annotations: { touched: String(this.#changes) } } };
    return this.#parts.api.patch(resources.machines, this.#anyOf(cluster).metadata, { type: 'merge', body });
  }

  #anyOf(cluster: number): Machine {
    const name = this.#parts.targets[cluster]?.name ?? '';
    const machines = this.#machines.by('cluster', name);
    const found = machines[Math.floor(random.next() * machines.length)];
    if (!found) throw new Error(`the Cluster ${name} has no machines`);
    return found;
  }
}

const markedBy = (machine: Machine | undefined) => machine?.status?.conditions?.find(({ type }) => type === MARK);
