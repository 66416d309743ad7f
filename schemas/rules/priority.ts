import { PRIORITY_OVERRIDES } from '../keys.ts';

/** The bounds of an override: above, between and below every level, never out of reach of a later one (decisions 5). */
export const OVERRIDE_BOUNDS = { least: -100, most: 100 } as const;

/** Whether the text of an annotation is an integer within the bounds. */
export const isPriority = (text: string): boolean =>
  /^[+-]?\d+$/.test(text) && Number(text) >= OVERRIDE_BOUNDS.least && Number(text) <= OVERRIDE_BOUNDS.most;

/** The override that annotations carry: its number, `invalid` when it is none within the bounds, undefined when absent. */
export function priorityOverride(
  annotations: Readonly<Record<string, string>> | null | undefined,
): number | 'invalid' | undefined {
  const text = PRIORITY_OVERRIDES.map((key) => annotations?.[key]).find((value) => value !== undefined);
  if (text === undefined) return undefined;
  return isPriority(text) ? Number(text) : 'invalid';
}
