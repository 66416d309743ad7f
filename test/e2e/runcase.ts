import { join } from 'node:path';
import { sentences } from '../../hack/lib/sentences.ts';
import { type Case, Skipped } from './case.ts';
import { clearNamespace } from './clear.ts';
import { failureOf } from './failure.ts';
import { keepAll } from './keep.ts';
import type { Outcome } from './outcome.ts';
import type { Run } from './run.ts';
import { Scene } from './scene.ts';
import { Terminal } from './terminal.ts';

/** How long it may take to look at what failed, or to take away what a case made. */
const AFTERWARDS_MS = 240_000;

/** A case that did not do what it shall. */
interface Failed {
  one: Case;
  seconds: number;
  failure: unknown;
}

/** Runs a case in a namespace of its own, keeps what can be seen when it fails, and takes away what it made. */
export async function runCase(one: Case, run: Run): Promise<Outcome> {
  const { name } = one;
  const scene = sceneOf(run, `${name}-${Math.random().toString(36).slice(2, 7)}`);
  const start = performance.now();
  const failure = await failureOf(() => begin(one, scene));
  const outcome = await judge({ one, seconds: secondsSince(start), failure }, run, scene);
  if ((outcome.end === 'failed' && run.keep) || (run.signal.aborted && run.surroundings.ownCluster)) return outcome;
  const untidy = await failureOf(() => end(one, sceneOf(run, scene.namespace, AbortSignal.timeout(AFTERWARDS_MS))));
  if (untidy === undefined || outcome.end === 'failed') return outcome;
  const cause = new Error('what the case made could not be taken away', { cause: untidy });
  return failed({ one, seconds: secondsSince(start), failure: cause }, run, scene);
}

async function begin(one: Case, scene: Scene): Promise<void> {
  await scene.kubectl('create', 'namespace', scene.namespace);
  await one.run(scene);
}

/** Machines first: who looks after them may be what the case takes away. */
async function end({ cleanUp, needs }: Case, scene: Scene): Promise<void> {
  const { finish } = await clearNamespace(scene, { wait: needs.release === 'own' });
  await cleanUp?.(scene);
  await finish();
}

async function judge({ one, seconds, failure }: Failed, run: Run, scene: Scene): Promise<Outcome> {
  const { name } = one;
  if (failure === undefined) return { name, seconds, end: 'passed', why: '' };
  if (failure instanceof Skipped) return { name, seconds, end: 'skipped', why: failure.message };
  return failed({ one, seconds, failure }, run, scene);
}

/** The outcome of a failed case, once what can be seen of it is kept. */
export async function failed({ one, seconds, failure }: Failed, run: Run, scene: Scene): Promise<Outcome> {
  const { name } = one;
  const outcome: Outcome = { name, seconds, end: 'failed', why: sentences(failure) };
  if (run.signal.aborted) return outcome;
  const folder = join(run.surroundings.root, '.drover/e2e', name);
  const now = sceneOf(run, scene.namespace, AbortSignal.timeout(AFTERWARDS_MS));
  await keepAll(now.terminal, { folder, transcript: scene.terminal.transcript });
  return { ...outcome, folder };
}

const secondsSince = (start: number): number => (performance.now() - start) / 1000;

/** A scene in a namespace; it ends when the run does, unless it has a signal of its own. */
export const sceneOf = ({ programs, surroundings, signal }: Run, namespace: string, own = signal): Scene =>
  new Scene(new Terminal(programs, namespace, own), surroundings, own);
