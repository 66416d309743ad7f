import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, commandsOf, exportsOf, missingFrom } from '../pages/commands.ts';
import { splitReference, whenJudging } from './release.ts';
import type { Scene } from './scene.ts';
import type { Said } from './terminal.ts';

/** What commands of pages read, as seen from the project's root. */
const READ = ['charts', 'schemas'];

/**
 * Types the commands of a page that are marked `console kind`, one after the other, from a folder in which they may leave
 * files. Throws at the first that fails, or does not print what the page shows.
 * @param after is told of each command that has done as it should
 */
export async function walkPage(
  scene: Scene,
  page: string,
  after: (command: string) => Promise<void> = async () => {},
): Promise<void> {
  const { root } = scene.surroundings;
  const commands = commandsOf(await Bun.file(join(root, page)).text(), 'kind');
  const folder = await mkdtemp(join(tmpdir(), 'drover-page-'));
  try {
    for (const name of READ) await symlink(join(root, name), join(folder, name));
    const exported = exportsOf(commands);
    for (const shown of commands) {
      await type(scene, shown, { exported, folder });
      await after(shown.command);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What holds for every command of a page. */
interface Page {
  exported: string;
  folder: string;
}

/** A command that looks may have to look again; one that does something is typed once. */
async function type(scene: Scene, shown: Command, { exported, folder }: Page): Promise<void> {
  const line = withImage(scene, shown.command);
  const once = async () => {
    const wrong = wrongIn(await scene.terminal.bash(`${exported}\n${line}`, folder), shown);
    if (wrong !== undefined) throw new Error(`$ ${line}\n${wrong}`);
    return true;
  };
  await (line.startsWith('kubectl get') ? scene.until(line, once) : once());
  if (/^helm (install|upgrade)|rollout status/.test(line)) await whenJudging(scene);
}

function wrongIn({ code, stdout, stderr }: Said, shown: Command): string | undefined {
  const printed = `${stdout}${stderr}`;
  if (code !== 0) return `ended with ${code}: ${printed}`;
  const missing = missingFrom(printed, shown);
  return missing.length === 0 ? undefined : `did not print "${missing.join('", "')}", but: ${printed}`;
}

/** Pages take the image that the chart names; here it is that of the run. */
function withImage(scene: Scene, command: string): string {
  const [repository, tag] = splitReference(scene.surroundings.images.drover);
  return command.replace(
    /^helm (install|upgrade) .*$/s,
    `$& --set image.repository=${repository} --set image.tag=${tag}`,
  );
}
