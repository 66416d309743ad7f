/** RFC 3339 with any zone, as Go's time.RFC3339 reads it; a fraction of a second may follow. */
const RFC_3339 =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Whether a text is a moment in RFC 3339. Date.parse alone would take 30 February for 2 March. */
export function isTime(text: string): boolean {
  const [, year, month, day] = RFC_3339.exec(text) ?? [];
  return day !== undefined && Number(day) <= daysOf(Number(year), Number(month));
}

function daysOf(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
