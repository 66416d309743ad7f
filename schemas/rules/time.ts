/** RFC 3339 with any zone, as Go's time.RFC3339 reads it; a fraction of a second may follow. */
const RFC_3339 =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Whether a text is a moment in RFC 3339. */
export const isTime = (text: string): boolean => RFC_3339.test(text) && !Number.isNaN(Date.parse(text));
