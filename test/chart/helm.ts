import { join } from 'node:path';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { Ended } from '../../hack/controlplane/kubectl.ts';
import { findTools } from '../../hack/tools/find.ts';

/** The folder of the chart. */
export const CHART = join(import.meta.dir, '../../charts/drover');

/** What everybody must say: which image. Given before all else, so that a test may say another, or none. */
const IMAGE = join(import.meta.dir, 'testdata/image-values.yaml');

/** A value by its path, as `--set-json` takes it: `controller.replicas` and anything that is JSON. */
export type Values = Readonly<Record<string, unknown>>;

/** What is rendered, and how. */
export interface Rendering {
  /** Name of the release; `drover` unless said. */
  release?: string;
  /** Its namespace; `drover-system` unless said. */
  namespace?: string;
  /** Single values. */
  set?: Values;
  /** Files with values, as paths. */
  files?: readonly string[];
  /** More words for helm. */
  words?: readonly string[];
}

/** Runs the real helm, away from the user's settings. Never throws because of its exit code. */
export async function helm(words: readonly string[]): Promise<Ended> {
  const { helm: binary } = await findTools(['helm']);
  const child = Bun.spawn([binary, ...words], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
  });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, stdout, stderr };
}

/** The arguments of `helm template`, `install` and `upgrade` that say what is meant. */
export const renderingArguments = ({
  release = 'drover',
  namespace = 'drover-system',
  set = {},
  files = [],
  words = [],
}: Rendering): string[] => [
  release,
  CHART,
  `--namespace=${namespace}`,
  `--values=${IMAGE}`,
  ...Object.entries(set).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`]),
  ...files.map((file) => `--values=${file}`),
  ...words,
];

/** Many tests look at the same rendering, each at another part. */
const renderings = new Map<string, Promise<KubeObject[]>>();

/** The objects of a rendering, tests of the release included; not to be changed. Throws what helm said when it refuses. */
export function render(rendering: Rendering = {}): Promise<KubeObject[]> {
  const words = renderingArguments(rendering);
  const made = renderings.get(words.join('\0')) ?? rendered(words);
  renderings.set(words.join('\0'), made);
  return made;
}

async function rendered(words: readonly string[]): Promise<KubeObject[]> {
  const { code, stdout, stderr } = await helm(['template', ...words]);
  if (code !== 0) throw new Error(stderr);
  return documentsOf(stdout);
}

/** What helm says about a rendering that it must refuse. Throws when it does not. */
export async function refusal(rendering: Rendering): Promise<string> {
  const { code, stdout, stderr } = await helm(['template', ...renderingArguments(rendering)]);
  if (code === 0) throw new Error(`helm rendered what it should refuse:\n${stdout}`);
  return stderr;
}

/** Objects of a YAML stream; empty documents are none. */
export const documentsOf = (yaml: string): KubeObject[] =>
  [Bun.YAML.parse(yaml)].flat().filter((one): one is KubeObject => one !== null && one !== undefined);

/** The one object of that kind and name. Throws when there is none, or more. */
export function only<T extends KubeObject>(objects: readonly KubeObject[], kind: string, name: string): T {
  const found = objects.filter((one) => one.kind === kind && one.metadata.name === name);
  if (found.length !== 1) throw new Error(`${found.length} objects are a ${kind} ${name}; there must be one`);
  return found[0] as T;
}
