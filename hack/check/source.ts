import type { Node, SourceFile } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/async';

/** A TypeScript file as the lints see it. */
export interface Source {
  /** From the project's root, with `/`. */
  path: string;
  text: string;
  tree: SourceFile;
  /** Every node of the tree, parents before their children. */
  nodes: readonly Node[];
}

/** Something that breaks one of our rules. */
export interface Finding {
  path: string;
  /** Counted from 1. */
  line: number;
  /** A sentence: what is wrong, and what to do where that is not plain. */
  message: string;
}

/** Looks at one file. */
export type Lint = (source: Source) => Finding[];

/** Files that exist only for the parser: texts by path from the root. */
export type Texts = Readonly<Record<string, string>>;

const OPTIONS = { noLib: true, noResolve: true, types: [] };

/** Turns texts into syntax trees by TypeScript's own parser, which runs as a child process until `close`. */
export class Parser {
  readonly #files = new Map<string, string>();
  readonly #api: API;
  #batches = 0;

  constructor() {
    const files = this.#files;
    this.#api = new API({
      cwd: '/',
      fs: {
        readFile: (path) => files.get(path) ?? null,
        fileExists: (path) => files.has(path),
        directoryExists: () => true,
        getAccessibleEntries: () => ({ files: [], directories: [] }),
        realpath: (path) => path,
      },
    });
  }

  /** The given files as sources, in their order; imports between them are not followed. */
  async parse(texts: Texts): Promise<Source[]> {
    const root = `/batch-${++this.#batches}`;
    const project = `${root}/tsconfig.json`;
    this.#files.set(project, JSON.stringify({ compilerOptions: OPTIONS, files: Object.keys(texts) }));
    for (const [path, text] of Object.entries(texts)) this.#files.set(`${root}/${path}`, text);
    const snapshot = await this.#api.updateSnapshot({ openProjects: [project] });
    const program = snapshot.getProject(project)?.program;
    return Promise.all(
      Object.entries(texts).map(async ([path, text]) => {
        const tree = await program?.getSourceFile(`${root}/${path}`);
        if (tree === undefined) throw new Error(`TypeScript's parser did not answer for ${path}`);
        return { path, text, tree, nodes: [...descendants(tree)] };
      }),
    );
  }

  /** Ends the child process. */
  async close(): Promise<void> {
    await this.#api.close();
  }
}

function* descendants(node: Node): Generator<Node> {
  yield node;
  const children: Node[] = [];
  node.forEachChild((child) => {
    children.push(child);
  });
  for (const child of children) yield* descendants(child);
}

/** A finding at the line where `node` starts, its comment left aside. */
export const at = ({ path, tree }: Source, node: Node, message: string): Finding => ({
  path,
  line: tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1,
  message,
});
