import { RunError } from '../../hack/tools/run.ts';

/** Programs and the cluster that they speak to; all are paths. */
export interface Programs {
  kubectl: string;
  helm: string;
  kubeconfig: string;
  /** Where helm keeps what it remembers. */
  scratch: string;
}

/** What a command said and how it ended. */
export interface Said {
  code: number;
  stdout: string;
  stderr: string;
}

/** What a command may be given beside its words. */
export interface Beside {
  stdin?: string;
  cwd?: string;
}

/** Types commands as a user does, in one namespace unless they name another, and remembers all that was said. */
export class Terminal {
  readonly namespace: string;
  readonly #programs: Programs;
  readonly #signal: AbortSignal;
  #transcript: string[] = [];

  constructor(programs: Programs, namespace: string, signal: AbortSignal) {
    this.#programs = programs;
    this.namespace = namespace;
    this.#signal = signal;
  }

  /** One in another namespace that remembers together with this one. */
  in(namespace: string): Terminal {
    const other = new Terminal(this.#programs, namespace, this.#signal);
    other.#transcript = this.#transcript;
    return other;
  }

  /** Everything that was typed, and what came back. */
  get transcript(): string {
    return this.#transcript.join('\n');
  }

  /** `kubectl`; throws what it complains about. */
  kubectl(...args: string[]): Promise<string> {
    return this.#orThrow(['kubectl', '-n', this.namespace, ...args]);
  }

  /** `kubectl` with something to read, for `-f -`; throws what it complains about. */
  kubectlRead(stdin: string, ...args: string[]): Promise<string> {
    return this.#orThrow(['kubectl', '-n', this.namespace, ...args], { stdin });
  }

  /** `kubectl`, however it ends. */
  tryKubectl(args: readonly string[], beside: Beside = {}): Promise<Said> {
    return this.#run(['kubectl', '-n', this.namespace, ...args], beside);
  }

  /** `helm` with values to read, for `-f -`; throws what it complains about. */
  helm(args: readonly string[], values: object = {}): Promise<string> {
    return this.#orThrow(['helm', '-n', this.namespace, ...args], { stdin: JSON.stringify(values) });
  }

  /** `helm`, however it ends. */
  tryHelm(args: readonly string[], values: object = {}): Promise<Said> {
    return this.#run(['helm', '-n', this.namespace, ...args], { stdin: JSON.stringify(values) });
  }

  /** A line of shell that finds kubectl, helm and the cluster. */
  bash(line: string, cwd: string): Promise<Said> {
    return this.#run(['bash', '-c', line], { cwd });
  }

  async #orThrow(command: readonly string[], beside: Beside = {}): Promise<string> {
    const { code, stdout, stderr } = await this.#run(command, beside);
    if (code !== 0) throw new RunError(`${command.join(' ')}: ${stderr.trim() || `ended with ${code}`}`, code);
    return stdout;
  }

  async #run([name = '', ...args]: readonly string[], { stdin = '', cwd }: Beside): Promise<Said> {
    this.#signal.throwIfAborted();
    const binary = name === 'kubectl' || name === 'helm' ? this.#programs[name] : name;
    const start = performance.now();
    const child = Bun.spawn([binary, ...args], {
      stdin: new Blob([stdin]),
      stdout: 'pipe',
      stderr: 'pipe',
      signal: this.#signal,
      env: this.#env(),
      ...(cwd === undefined ? {} : { cwd }),
    });
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    const ended = `(code ${code} after ${((performance.now() - start) / 1000).toFixed(1)} s)`;
    this.#transcript.push(`$ ${[name, ...args].join(' ')}${stdin && ' <<<'}${stdin}\n${stdout}${stderr}${ended}\n`);
    this.#signal.throwIfAborted();
    return { code, stdout, stderr };
  }

  #env(): Record<string, string | undefined> {
    const { kubectl, helm, kubeconfig, scratch } = this.#programs;
    const folders = [kubectl, helm].map((path) => path.slice(0, path.lastIndexOf('/')));
    return {
      ...process.env,
      PATH: [...folders, process.env['PATH']].join(':'),
      KUBECONFIG: kubeconfig,
      HELM_CACHE_HOME: `${scratch}/cache`,
      HELM_CONFIG_HOME: `${scratch}/config`,
      HELM_DATA_HOME: `${scratch}/data`,
    };
  }
}
