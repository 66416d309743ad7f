import { type Random, seededRandom } from '../../controller/runtime/random.ts';
import type { Case } from './case.ts';

/** Cases that follow one another without a change of what is installed. */
export interface Round {
  release: 'shared' | 'own';
  /** One case at a time. */
  alone: boolean;
  cases: readonly Case[];
}

const ROUNDS: ReadonlyArray<Omit<Round, 'cases'>> = [
  { release: 'shared', alone: false },
  { release: 'shared', alone: true },
  { release: 'own', alone: false },
  { release: 'own', alone: true },
];

/** Cases by what they need, in an order that the seed decides; rounds without a case are left out. */
export function roundsOf(cases: readonly Case[], seed: number): Round[] {
  const shuffled = shuffle(cases, seededRandom(seed));
  return ROUNDS.map(({ release, alone }) => ({
    release,
    alone,
    cases: shuffled.filter(({ needs }) => needs.release === release && (needs.alone ?? false) === alone),
  })).filter((round) => round.cases.length > 0);
}

/** Fisher and Yates. */
function shuffle<T>(items: readonly T[], random: Random): T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(Math.floor(random.next() * left.length), 1));
}
