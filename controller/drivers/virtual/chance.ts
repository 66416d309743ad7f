/** Chance that a text decides: the same number in [0, 1) in every run and process. */
export const chanceOf = (text: string): number => Number(Bun.hash.xxHash64(text) >> 11n) / 2 ** 53;
