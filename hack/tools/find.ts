import { givenTool } from './given.ts';

/** Paths of the tools by name. */
export async function findTools<N extends string>(names: readonly N[]): Promise<Record<N, string>> {
  const paths = {} as Record<N, string>;
  for (const name of names) paths[name] = await findTool(name);
  return paths;
}

async function findTool(name: string): Promise<string> {
  const given = givenTool(name, process.env);
  if (given === undefined) throw new Error(`there is no ${name}: set DROVER_BIN to a folder that has it`);
  return given;
}
