/** Chance, injected. `next` is uniform in [0, 1). */
export interface Random {
  next(): number;
}

/** The machine's own chance. */
export const systemRandom: Random = { next: () => Math.random() };

/** Chance that nobody can guess, for secrets. */
export const secureRandom: Random = { next: () => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32 };

/** Repeatable chance from a seed (mulberry32), for simulations and tests. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    },
  };
}

/** A value in [ms × (1 − share), ms × (1 + share)), so that many waiters do not wake together. */
export const jitter = (random: Random, ms: number, share = 0.2): number => ms * (1 + share * (2 * random.next() - 1));

/** A value in [0, ms): of many that fail together, as when a server goes, few come back at the same moment. */
export const fullJitter = (random: Random, ms: number): number => ms * random.next();

/** `length` characters of `alphabet`, each drawn alike. */
export function randomText(random: Random, length: number, alphabet: string): string {
  return Array.from({ length }, () => alphabet[Math.floor(random.next() * alphabet.length)]).join('');
}
