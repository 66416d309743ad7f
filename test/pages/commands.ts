/** A command that a page shows, and what it says that the command prints. */
export interface Command {
  command: string;
  /** Lines, each of which the command prints, if `plain` makes them the same. */
  output: string[];
}

/**
 * What a block of commands needs: `console` runs on what ./hack/up starts, `console kind` on a cluster that runs pods,
 * with Drover installed by its chart.
 */
export type Ground = 'up' | 'kind';

const FENCE = /^```console(?: (\w+))?\n(.*?)^```$/gms;

/** The commands of a page's console blocks for one ground, in order. A command goes on after a backslash at a line's end. */
export function commandsOf(page: string, ground: Ground): Command[] {
  const blocks = [...page.matchAll(FENCE)].filter(([, word = 'up']) => word === ground);
  return blocks.flatMap(([, , block = '']) => block.trimEnd().split(/^\$ /m).slice(1).map(commandIn));
}

/** Lines such as `export A=b`, which hold for every command of the page. */
export const exportsOf = (commands: readonly Command[]): string =>
  commands
    .map(({ command }) => command)
    .filter((command) => command.startsWith('export '))
    .join('\n');

/** Lines that a page shows and a command did not print. */
export function missingFrom(printed: string, { output }: Command): string[] {
  const lines = printed.split('\n').map(plain);
  return output.map(plain).filter((line) => !lines.includes(line));
}

function commandIn(text: string): Command {
  const lines = text.trimEnd().split('\n');
  const last = lines.findIndex((line) => !line.endsWith('\\'));
  return { command: lines.slice(0, last + 1).join('\n'), output: lines.slice(last + 1).filter(Boolean) };
}

/** A line without what differs from run to run: names, how many of them, ages, and how wide a column is. */
export const plain = (line: string): string =>
  line
    .replaceAll(/\bherd-[a-z0-9]{5}(-[a-z0-9]{5})?\b/g, 'herd-$')
    .replaceAll(/herd-\$(, herd-\$)+( and \d+ more)?/g, 'herd-$')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID')
    .replaceAll(/\b\d+(m\d*)?s?\b(?= |$)/g, (age) => (/[ms]/.test(age) ? 'AGE' : age))
    .replaceAll(/ +/g, ' ')
    .trim();
