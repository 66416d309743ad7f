import { type Clock, Deadline } from '../clock.ts';
import type { Credentials, Proof, Tls } from './connection.ts';

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
  /** Told to the program when it asks for it (ExecCredentialSpec's cluster); read anew for each run. */
  cluster: () => Readonly<Record<string, unknown>>;
  clock: Clock;
}

interface ExecStatus {
  token?: string;
  clientCertificateData?: string;
  clientKeyData?: string;
  expirationTimestamp?: string;
}

/** What a program gave, and when that is to be exchanged: a while before it expires. */
interface Given extends ExecStatus {
  /** Milliseconds since the epoch. */
  until: number;
}

/** Credentials are exchanged so long before they expire, milliseconds, but after nine tenths of their life at the earliest. */
const MARGIN = { ms: 30_000, share: 0.1 };

/** How long a program may take, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** How much of what a program complains is quoted. */
const QUOTED = 300;

/** Credentials from a program, run when they are needed first, are about to expire, or were refused (KEP-541). */
export class ExecCredentials implements Credentials {
  readonly #parts: ExecParts;
  #given: Given | undefined;
  #running: Promise<Given> | undefined;

  constructor(parts: ExecParts) {
    this.#parts = parts;
  }

  async header(): Promise<string | undefined> {
    if (!this.#given || this.#given.until <= this.#parts.clock.now()) this.#given = await this.#runOnce();
    return headerOf(this.#given);
  }

  refresh(refused?: Proof): void {
    if (!refused || (refused.header === headerOf(this.#given) && refused.cert === this.certificate.cert))
      this.#given = undefined;
  }

  /** The client certificate that came with the latest header, if any. */
  get certificate(): Pick<Tls, 'cert' | 'key'> {
    const { clientCertificateData: cert, clientKeyData: key } = this.#given ?? {};
    return cert && key ? { cert, key } : {};
  }

  /** All who wait at the same time share one run. */
  #runOnce(): Promise<Given> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(): Promise<Given> {
    const status = await run(this.#parts);
    const now = this.#parts.clock.now();
    const expiry = Date.parse(status.expirationTimestamp ?? '');
    if (Number.isNaN(expiry)) return { ...status, until: Number.POSITIVE_INFINITY };
    return { ...status, until: expiry - Math.min(MARGIN.ms, Math.max(0, expiry - now) * MARGIN.share) };
  }
}

const headerOf = (status: ExecStatus | undefined): string | undefined =>
  status?.token === undefined ? undefined : `Bearer ${status.token}`;

async function run({ config, cluster, clock }: ExecParts): Promise<ExecStatus> {
  const deadline = new Deadline({ clock, ms: TIMEOUT_MS, reason: () => 'time' });
  try {
    const { exited, stdout, stderr } = start(config, cluster(), deadline.signal);
    const [code, output, complaint] = await Promise.all([exited, stdout.text(), stderr.text()]);
    if (deadline.signal.aborted) throw new Error(`${config.command} took longer than ${TIMEOUT_MS / 1000} s`);
    if (code !== 0) throw new Error(`${config.command} ended with ${code}: ${complaint.trim().slice(0, QUOTED)}`);
    return statusIn(output, config);
  } finally {
    deadline.end();
  }
}

function start(config: ExecConfig, cluster: object, signal: AbortSignal) {
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
