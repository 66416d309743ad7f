import { registered } from '../../controller/drivers/index.ts';
import type { RunningDriver } from '../../controller/drivers/sdk/driver.ts';
import { leadOnce } from '../../controller/manager/leader.ts';
import type { Connection } from '../../controller/runtime/client/connection.ts';
import type { Metrics } from '../../controller/runtime/observability/metrics.ts';
import { seededRandom } from '../../controller/runtime/random.ts';
import { type ControllerSettings, controllerProgram } from '../../schemas/config/controller.ts';
import { parseSettings } from '../../schemas/config.ts';
import type { Findings } from './finding.ts';
import { DRIVER_CALLS } from './flights.ts';
import type { Lifetime } from './lifetime.ts';
import { ProcessLog } from './processlog.ts';
import { SWEEPS } from './sweeps.ts';
import type { Trace } from './trace.ts';

/** What a simulated controller process is made of. */
export interface ProcessParts {
  /** Its name in the trace; also its identity. */
  who: string;
  lifetime: Lifetime;
  control: Connection;
  /** Absent where machines join no cluster. */
  target: Connection | undefined;
  driver: RunningDriver;
  /** Seed of the process's own chance. */
  seed: number;
  elected: boolean;
  findings: Findings;
  trace: Trace;
  /** Is called when the process ends by itself, with its exit code. */
  exited(code: number): void;
}

/** The time that a Node may be unhealthy before its machine is given up, milliseconds. */
export const HEALTH_MS = 300_000;

/** Shorter than usual where a long wait shows nothing more; few workers, because each costs. */
const FLAGS = [
  '--leader-elect-namespace=kube-system',
  '--leader-elect-lease-duration=40s',
  '--leader-elect-renew-deadline=30s',
  '--leader-elect-retry-period=10s',
  '--concurrent-syncs=4',
  `--max-driver-calls=${DRIVER_CALLS.all}`,
  '--machine-creation-timeout=10m',
  `--machine-health-timeout=${HEALTH_MS / 1000}s`,
  '--machine-drain-timeout=20m',
  '--resource-exhausted-retry=3m',
  '--machine-preserve-timeout=10m',
  `--machine-safety-orphan-vms-period=${SWEEPS.periodMs / 1000}s`,
  `--orphan-grace-period=${SWEEPS.graceMs / 1000}s`,
  `--orphan-deletions-per-sweep=${SWEEPS.most}`,
];

const settings = new Map<boolean, ControllerSettings>();

/** A controller process: the program of controller/main.ts without its port, its signals and its command line. */
export class Process {
  readonly who: string;
  readonly lifetime: Lifetime;
  /** It holds its leases, as far as it knows, or needs none. */
  leads = false;
  readonly #stop = new AbortController();

  constructor(parts: ProcessParts) {
    this.who = parts.who;
    this.lifetime = parts.lifetime;
    const exit = (code: number) => {
      if (parts.lifetime.dead) return;
      parts.trace.note(parts.who, `exits with code ${code}`);
      parts.lifetime.end();
      parts.exited(code);
    };
    const failed = (error: unknown) => {
      parts.trace.note(parts.who, 'fails', { error });
      exit(this.#stop.signal.aborted ? 0 : 1);
    };
    void this.#run(parts).then(exit, failed);
  }

  /** SIGTERM. */
  stop(): void {
    this.#stop.abort(new Error('SIGTERM'));
  }

  #run({ who, lifetime, control, target, driver, seed, elected, findings, trace }: ProcessParts): Promise<number> {
    const program = {
      settings: settingsFor(elected),
      connections: { control, ...(target && { target }) },
      clock: lifetime.clock,
      random: seededRandom(seed),
      secureRandom: seededRandom(seed + 1),
      log: new ProcessLog({ who, clock: lifetime.clock, trace, findings }),
      metrics: unmeasured,
      identity: who,
      makeDrivers: () => registered([driver]),
    };
    return leadOnce(program, this.#stop.signal, (stage) => {
      this.leads = true;
      trace.note(who, stage);
    });
  }
}

function settingsFor(elected: boolean): ControllerSettings {
  const known = settings.get(elected);
  if (known) return known;
  const parsed = parseSettings(controllerProgram, { args: [...FLAGS, `--leader-elect=${elected}`], env: {} });
  if (!parsed.ok) throw new Error(parsed.findings.join('\n'));
  settings.set(elected, parsed.settings);
  return parsed.settings;
}

const unmeasured: Metrics = {
  count: () => {},
  set: () => {},
  observe: () => {},
  reset: () => {},
  remove: () => {},
  onScrape: () => () => {},
  text: async () => '',
};
