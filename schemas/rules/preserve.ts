/** What may be asked of a Machine's preservation (MCM 6.12); empty: nothing. */
export const PRESERVE_VALUES = ['', 'now', 'when-failed', 'auto-preserved', 'false'] as const;
export type PreserveValue = (typeof PRESERVE_VALUES)[number];

/** The word, if it is one that preservation knows. */
export const knownPreserve = (text = ''): PreserveValue | undefined => PRESERVE_VALUES.find((value) => value === text);
