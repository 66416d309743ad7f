/** A number of things, for a sentence: `1 machine`, `3 machines`. Their names are for those who may list them. */
export const countOf = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`;
