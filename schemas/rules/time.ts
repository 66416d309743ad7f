import { isSubdomain } from '../selector.ts';

/** RFC 3339 with any zone, as Go's time.RFC3339 reads it; a fraction of a second may follow. */
const RFC_3339 =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Whether a text is a moment in RFC 3339. Date.parse alone would take 30 February for 2 March. */
export function isTime(text: string): boolean {
  const [, year, month, day] = RFC_3339.exec(text) ?? [];
  return day !== undefined && Number(day) <= daysOf(Number(year), Number(month));
}

/** Milliseconds since the epoch of a moment that people or autoscalers wrote; NaN for what is none in RFC 3339, which MCM does not read either. */
export const timeOf = (text: string | undefined): number =>
  text !== undefined && isTime(text) ? Date.parse(text) : Number.NaN;

function daysOf(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** A machine that an autoscaler wants to be gone, and since when, if it says so. */
export interface VictimEntry {
  name: string;
  at?: string;
}

/** An entry `name~time` or `name`, exactly as MCM takes it: the space after a comma makes it the name of no machine (hack/spec/mcm.md 4.11); undefined where it is passed over. */
export function victimIn(entry: string): VictimEntry | undefined {
  const [name = '', at, ...more] = entry.split('~');
  if (!isSubdomain(name) || more.length > 0) return undefined;
  if (at === undefined) return { name };
  return isTime(at) ? { name, at } : undefined;
}
