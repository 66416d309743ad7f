import { until } from '../../hack/lib/until.ts';
import { RunError } from '../../hack/tools/run.ts';
import { Skipped } from './case.ts';
import type { Terminal } from './terminal.ts';

/** How long a condition may take on a busy machine with two cores. */
const PATIENCE_MS = 90_000;
/** Each look is a kubectl of its own: more would keep the cluster from what is waited for. */
const LOOK_MS = 500;

/** An image that test pods run; the Nodes have it, or can pull it. */
export interface Images {
  /** Repository and tag of Drover's image. */
  drover: string;
  busybox: string;
}

/** An object as kubectl prints it. */
export interface Seen {
  metadata: {
    name: string;
    namespace?: string;
    uid: string;
    generation?: number;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    ownerReferences?: ReadonlyArray<{ kind: string; name: string; uid: string }>;
    creationTimestamp: string;
  };
}

/** A manifest to apply; its namespace is the scene's unless it names another. */
export type Manifest = Record<string, unknown> & { kind: string; metadata: Record<string, unknown> & { name: string } };

/** What is the same for all cases of a run. */
export interface Surroundings {
  images: Images;
  /** The chart's folder. */
  chart: string;
  /** The project's root. */
  root: string;
  /** The cluster was made for this run. */
  ownCluster: boolean;
  /** Settles once cert-manager is there that the run installs beside the first cases. */
  certManager?: Promise<void> | undefined;
}

/** What a case works with: a namespace of its own, a terminal in it, and waiting for what shall be. */
export class Scene {
  readonly terminal: Terminal;
  readonly surroundings: Surroundings;

  readonly #signal: AbortSignal;

  constructor(terminal: Terminal, surroundings: Surroundings, signal: AbortSignal) {
    this.terminal = terminal;
    this.surroundings = surroundings;
    this.#signal = signal;
  }

  /** The case's own namespace. */
  get namespace(): string {
    return this.terminal.namespace;
  }

  /** `kubectl`; throws what it complains about. */
  kubectl(...args: string[]): Promise<string> {
    return this.terminal.kubectl(...args);
  }

  /** `kubectl apply` of manifests; says what kubectl says, warnings left out. */
  apply(...manifests: Manifest[]): Promise<string> {
    return this.terminal.kubectlRead(listOf(manifests), 'apply', '-f', '-');
  }

  /** What kubectl complains about when it is told to apply what must be refused. */
  async refused(...manifests: Manifest[]): Promise<string> {
    return refusal(await this.terminal.tryKubectl(['apply', '-f', '-'], { stdin: listOf(manifests) }), 'apply');
  }

  /** What kubectl complains about when it is told what must be refused. */
  async refusedCommand(...args: string[]): Promise<string> {
    return refusal(await this.terminal.tryKubectl(args), args.join(' '));
  }

  /** Objects of a kind, in the case's namespace unless the arguments say otherwise. */
  async list<T extends Seen = Seen>(kind: string, ...args: string[]): Promise<T[]> {
    return JSON.parse(await this.kubectl('get', kind, ...args, '-o', 'json')).items;
  }

  /** One object, which must be there. */
  async get<T extends Seen = Seen>(kind: string, name: string, ...args: string[]): Promise<T> {
    return JSON.parse(await this.kubectl('get', kind, name, ...args, '-o', 'json'));
  }

  /** `kubectl wait` for a condition such as `--for=condition=Ready`. */
  async wait(what: string, condition: string, ...args: string[]): Promise<void> {
    await this.kubectl('wait', what, condition, `--timeout=${PATIENCE_MS / 1000}s`, ...args);
  }

  /** Looks again and again until `look` gives a value; `what` completes "waited for". */
  async until<T>(what: string, look: () => T | Promise<T>, timeoutMs = PATIENCE_MS): Promise<NonNullable<T>> {
    return until(what, look, { timeoutMs, everyMs: LOOK_MS, signal: this.#signal });
  }

  /** The same scene in another namespace. */
  in(namespace: string): Scene {
    return new Scene(this.terminal.in(namespace), this.surroundings, this.#signal);
  }

  /** Ends the case as one that cannot be shown on this cluster. */
  skip(why: string): never {
    throw new Skipped(why);
  }
}

const listOf = (items: readonly Manifest[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

function refusal({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }, what: string): string {
  if (code === 0) throw new RunError(`kubectl ${what} was not refused, and said: ${stdout.trim()}`, code);
  return stderr.trim();
}
