import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Variables that name a folder with tools of the user's own, in the order in which they are asked. */
export const GIVEN_BY = ['DROVER_BIN', 'KUBEBUILDER_ASSETS'] as const;

/** The tool as the user gave it through the environment, if at all. Its version is the user's business. */
export function givenTool(name: string, env: Record<string, string | undefined>): string | undefined {
  const folders = GIVEN_BY.flatMap((variable) => env[variable] ?? []);
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** Whether there is a file that this user may run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
