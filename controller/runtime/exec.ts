import type { Clock } from './clock.ts';
import type { Credentials, Tls } from './connection.ts';
import { Deadline } from './deadline.ts';

/** The `exec` part of a kubeconfig's user (client.authentication.k8s.io, ExecConfig). */
export interface ExecConfig {
  apiVersion: string;
  /** Absolute, or to be found on the PATH. */
  command: string;
  args?: readonly string[] | null;
  env?: ReadonlyArray<{ name: string; value: string }> | null;
  provideClusterInfo?: boolean;
  installHint?: string;
  interactiveMode?: string;
}

interface ExecParts {
  config: ExecConfig;
  /** Told to the program when it asks for it (ExecCredentialSpec's cluster). */
  cluster: Readonly<Record<string, unknown>>;
  clock: Clock;
}

interface ExecStatus {
  token?: string;
  clientCertificateData?: string;
  clientKeyData?: string;
  expirationTimestamp?: string;
}

/** How long a program may take, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** How much of what a program complains is quoted. */
const QUOTED = 300;

/** Credentials from a program, run when they are needed first, have expired, or were refused (KEP-541). */
export class ExecCredentials implements Credentials {
  readonly #parts: ExecParts;
  #status: ExecStatus | undefined;
  #running: Promise<ExecStatus> | undefined;

  constructor(parts: ExecParts) {
    this.#parts = parts;
  }

  async header(): Promise<string | undefined> {
    if (!this.#status || this.#isExpired(this.#status)) this.#status = await this.#runOnce();
    return this.#status.token === undefined ? undefined : `Bearer ${this.#status.token}`;
  }

  refresh(): void {
    this.#status = undefined;
  }

  /** The client certificate that came with the latest header, if any. */
  get certificate(): Pick<Tls, 'cert' | 'key'> {
    const { clientCertificateData: cert, clientKeyData: key } = this.#status ?? {};
    return cert && key ? { cert, key } : {};
  }

  #isExpired({ expirationTimestamp }: ExecStatus): boolean {
    return expirationTimestamp !== undefined && Date.parse(expirationTimestamp) <= this.#parts.clock.now();
  }

  /** All who wait at the same time share one run. */
  #runOnce(): Promise<ExecStatus> {
    this.#running ??= run(this.#parts).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }
}

async function run({ config, cluster, clock }: ExecParts): Promise<ExecStatus> {
  const deadline = new Deadline({ clock, ms: TIMEOUT_MS, reason: () => 'time' });
  try {
    const { exited, stdout, stderr } = start(config, cluster, deadline.signal);
    const [code, output, complaint] = await Promise.all([exited, stdout.text(), stderr.text()]);
    if (deadline.signal.aborted) throw new Error(`${config.command} took longer than ${TIMEOUT_MS / 1000} s`);
    if (code !== 0) throw new Error(`${config.command} ended with ${code}: ${complaint.trim().slice(0, QUOTED)}`);
    return statusIn(output, config);
  } finally {
    deadline.end();
  }
}

function start(config: ExecConfig, cluster: ExecParts['cluster'], signal: AbortSignal) {
  const { apiVersion, command, args, env, provideClusterInfo, installHint } = config;
  const spec = { interactive: false, ...(provideClusterInfo && { cluster }) };
  const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec });
  const own = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
  try {
    return Bun.spawn([command, ...(args ?? [])], {
      env: { ...process.env, ...own, KUBERNETES_EXEC_INFO: info },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      signal,
      killSignal: 'SIGKILL',
    });
  } catch (error) {
    throw new Error(`${command} cannot be run${installHint ? `: ${installHint.trim()}` : ''}`, { cause: error });
  }
}

/** What a program printed holds secrets and is therefore never quoted. */
function statusIn(output: string, { command, apiVersion }: ExecConfig): ExecStatus {
  const { apiVersion: found, status } = parse(output, command);
  if (found !== apiVersion) throw new Error(`${command} printed an ExecCredential of ${found}, not of ${apiVersion}`);
  if (!status?.token && !(status?.clientCertificateData && status.clientKeyData)) {
    throw new Error(`${command} printed an ExecCredential with neither a token nor a client certificate with its key`);
  }
  return status;
}

interface ExecCredential {
  kind?: string;
  apiVersion?: string;
  status?: ExecStatus;
}

function parse(output: string, command: string): ExecCredential {
  try {
    const printed = JSON.parse(output) as ExecCredential | null;
    if (printed?.kind === 'ExecCredential') return printed;
  } catch {
    // The parser's words would quote the output.
  }
  throw new Error(`${command} printed no ExecCredential`);
}
