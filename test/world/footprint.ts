import { Session } from 'node:inspector';
import { join } from 'node:path';
import type { Stage } from '../simulation/stage.ts';

/**
 * Counts how many files one Machine's creation takes, and so how many there are to read for who follows it: those of which a function runs
 * from the watch event to the last status patch, and not while the controller idles. Prints their paths in JSON. It is a process of its own
 * (footprint.test.ts): whose functions are counted is slow and large, and the modules have to be read after that begins.
 */

const IDLE_MS = 600_000;
const MACHINE = {
  apiVersion: 'machine.sapcloud.io/v1alpha1',
  kind: 'Machine',
  metadata: { name: 'm1' },
  spec: { class: { kind: 'MachineClass', name: 'small' } },
};

/** How often each function of the project has run, by file; modules count from their import on. */
class Counts {
  readonly #session = new Session();

  async start(): Promise<void> {
    this.#session.connect();
    await this.#post('Profiler.enable');
    await this.#post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  async take(): Promise<Map<string, number>> {
    const { result } = await this.#post<{ result: Script[] }>('Profiler.takePreciseCoverage');
    return new Map(
      result
        .filter(({ url }) => PROGRAM.test(url))
        .map(({ url, functions }) => [url.slice(ROOT.length), callsOf(functions)]),
    );
  }

  #post<T>(method: string, parameters: object = {}): Promise<T> {
    return new Promise((resolve, reject) =>
      this.#session.post(method, parameters, (error, answer) => (error ? reject(error) : resolve(answer as T))),
    );
  }
}

interface Script {
  url: string;
  functions: Array<{ ranges: Array<{ count: number }> }>;
}

const ROOT = `${Bun.pathToFileURL(join(import.meta.dir, '../..'))}/`;
const PROGRAM = new RegExp(`^${ROOT}(controller|schemas)/.*(?<!\\.fixture)\\.ts$`);

/** The first entry is the module itself. */
const callsOf = (functions: Script['functions']): number =>
  functions.slice(1).reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0);

/** Files of which a function has run in between. */
const ranBetween = (before: Map<string, number>, after: Map<string, number>): Set<string> =>
  new Set([...after].filter(([path, calls]) => calls > (before.get(path) ?? 0)).map(([path]) => path));

/** The files that a Machine's creation takes. */
async function footprint(): Promise<string[]> {
  const counts = new Counts();
  await counts.start();
  const { stage, pass } = await calmStage();
  pass(60_000);
  const started = await counts.take();
  pass(IDLE_MS);
  const idle = await counts.take();
  stage.user.make('machines', MACHINE);
  const isRunning = () => stage.user.all('machines')[0]?.status?.currentStatus?.phase === 'Running';
  while (!isRunning()) pass(1_000);
  pass(5_000);
  const always = ranBetween(started, idle);
  return [...ranBetween(idle, await counts.take())].filter((path) => !always.has(path)).sort();
}

/** A world without faults, in which machines join a cluster; its modules are read only now, when functions are counted. */
async function calmStage(): Promise<{ stage: Stage; pass(ms: number): void }> {
  const { Findings } = await import('../simulation/finding.ts');
  const { classOf, cloudSecretOf } = await import('../simulation/herd.ts');
  const { chanceOf, stageOf } = await import('../simulation/stage.ts');
  const { silent } = await import('../simulation/trace.ts');
  const { noFaults } = await import('../simulation/faultrates.ts');
  const { WorldClock } = await import('./clock.ts');
  for (let seed = 1; ; seed++) {
    const clock = new WorldClock();
    const parts = {
      seed,
      breach: undefined,
      chance: chanceOf(seed, 1),
      most: 1,
      clock,
      trace: silent,
      findings: new Findings(),
    };
    const stage = stageOf({ ...parts, faultRates: () => noFaults });
    if (!stage.joins || stage.elected) continue;
    stage.user.send('POST', '/api/v1/namespaces', { metadata: { name: 'herd' } });
    stage.user.send('POST', '/api/v1/namespaces/herd/secrets', cloudSecretOf(stage));
    stage.user.make('machineclasses', classOf());
    stage.processes.start();
    const pass = (ms: number) => {
      const until = clock.now() + ms;
      clock.after(ms, () => {});
      while (clock.step(until));
    };
    return { stage, pass };
  }
}

if (import.meta.main) console.log(JSON.stringify(await footprint()));
