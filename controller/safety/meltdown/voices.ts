import { isOut, type Judged, type Tally } from './policy.ts';

/** A namespace's machines in an area. */
export interface Voice {
  /** As they count for the namespace itself. */
  own: Tally;
  /** As they count for others: without those that nobody but their namespace says to have run (standing.ts). */
  heard: Tally;
}

/** Machines of an area, by namespace. */
export type Voices = ReadonlyMap<string, Voice>;

/**
 * The numbers by which each namespace's machines in an area are judged: its own where these are an outage, else those of
 * all, unless they are none without one other namespace. So an outage freezes everybody who is in it, and no namespace alone
 * freezes another, whatever it says of its machines (hack/decisions/0044).
 */
export function judgedIn(voices: Voices, outagePercent: number): (namespace: string) => Judged {
  const heard = new Map([...voices].map(([name, voice]) => [name, voice.heard]));
  const everybodys = sumOf(heard.values());
  const excess = ({ ill, total }: Tally) => ill * 100 - total * outagePercent;
  const loudest = [({ ill }: Tally) => ill, excess].map((weight) => firstTwo(heard, weight));
  return (namespace) => {
    const { own, heard: told } = voices.get(namespace) ?? SILENT;
    if (isOut(own, outagePercent)) return voices.size > 1 ? { ...own, alone: true } : own;
    const all = sumOf([minus(everybodys, told), own]);
    const without = loudest.flatMap((two) => two.filter(([name]) => name !== namespace).slice(0, 1));
    const left = without.map(([, one]) => minus(all, one));
    return left.find((tally) => !isOut(tally, outagePercent)) ?? all;
  };
}

const NONE: Tally = { total: 0, ill: 0, replaced: 0 };
const SILENT: Voice = { own: NONE, heard: NONE };

/** The sum of tallies. */
export const sumOf = (tallies: Iterable<Tally>): Tally => {
  const sum = { ...NONE };
  for (const { total, ill, replaced } of tallies) {
    sum.total += total;
    sum.ill += ill;
    sum.replaced += replaced;
  }
  return sum;
};

const minus = (all: Tally, one: Tally): Tally => ({
  total: all.total - one.total,
  ill: all.ill - one.ill,
  replaced: all.replaced - one.replaced,
});

/** The two that weigh most: one of them may be whom it is judged for. */
const firstTwo = (tallies: ReadonlyMap<string, Tally>, weight: (tally: Tally) => number) =>
  [...tallies].toSorted(([, a], [, b]) => weight(b) - weight(a)).slice(0, 2);
