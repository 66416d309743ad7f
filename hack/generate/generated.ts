/** A file that a program writes; nobody edits it. */
export interface Generated {
  /** From the project's root. */
  path: string;
  content: string;
}

/** Makes generated files out of tables and schemas. Same input, same files. */
export type Producer = () => readonly Generated[];

/** What a generated file says of itself, without comment signs. */
export const notice = (source: string): string => `Generated from ${source} by \`bun run generate\`; do not edit.`;
