import type { Case } from './case.ts';
import { failureOf } from './failure.ts';
import { type Round, roundsOf } from './order.ts';
import type { Outcome } from './outcome.ts';
import { failed, runCase, sceneOf } from './runcase.ts';
import type { Scene, Surroundings } from './scene.ts';
import type { Programs } from './terminal.ts';

/** Cases at a time, where they do not disturb each other: most of a case is waiting. */
const AT_ONCE = 4;

/** A cluster that is there, and how cases are run on it. */
export interface Run {
  programs: Programs;
  surroundings: Surroundings;
  seed: number;
  /** Ends with the first case that fails, and leaves what it made. */
  keep: boolean;
  signal: AbortSignal;
  /** Told of each case that ends. */
  report(outcome: Outcome): void;
  /** Makes the cluster what the cases of a round need; called again between cases that run alone. */
  prepare(scene: Scene, round: Round): Promise<void>;
}

/** What the cases of one round share. */
interface Lane {
  run: Run;
  round: Round;
  note(outcome: Outcome): void;
  /** No further case is to begin. */
  isOver(): boolean;
}

/** Runs cases round by round. A failed case does not keep others from running. */
export async function runCases(cases: readonly Case[], run: Run): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const note = (outcome: Outcome) => {
    outcomes.push(outcome);
    run.report(outcome);
  };
  const isOver = () => run.signal.aborted || (run.keep && outcomes.some(({ end }) => end === 'failed'));
  const isFit = ({ needs }: Case) => !needs.ownCluster || run.surroundings.ownCluster;
  for (const { name } of cases.filter((one) => !isFit(one)))
    note({ name, end: 'skipped', why: 'it drains Nodes, and this cluster was not made for the run', seconds: 0 });
  for (const round of roundsOf(cases.filter(isFit), run.seed)) {
    if (round.alone) await runOneByOne({ run, round, note, isOver });
    else await runTogether({ run, round, note, isOver });
  }
  return outcomes;
}

async function runOneByOne(lane: Lane): Promise<void> {
  for (const one of lane.round.cases) await runTogether({ ...lane, round: { ...lane.round, cases: [one] } });
}

async function runTogether({ run, round, note, isOver }: Lane): Promise<void> {
  if (isOver()) return;
  const scene = sceneOf(run, 'default');
  const failure = await failureOf(() => run.prepare(scene, round));
  const waiting = [...round.cases];
  const lane = async () => {
    for (let next = waiting.shift(); next && !isOver(); next = waiting.shift())
      note(
        failure === undefined ? await runCase(next, run) : await failed({ one: next, seconds: 0, failure }, run, scene),
      );
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
