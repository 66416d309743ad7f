/** One mutation: what was mended there, the file, the text that stands there once, what it becomes, and tests of which one must fail. */
export type Row = [of: string, file: string, text: string, becomes: string, ...tests: string[]];
