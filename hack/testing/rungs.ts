import { besideStage, programStage, type Stage, talliedStage, testStage, toolsStage } from './stage.ts';
import { pick } from './words.ts';

/** What a run is given. */
export interface Wish {
  /** Files or folders to pick, and flags for `bun test`. */
  extra: readonly string[];
  /** Seed of the order in which unit tests run. */
  seed: number;
}

/** Which test files a rung is made of; rungs without run programs. */
const testsOf: Readonly<Record<string, (file: string) => boolean>> = {
  unit: (file) => !needsApiServer(file) && !needsHelm(file),
  chart: (file) => needsHelm(file),
  api: (file) => needsApiServer(file),
};

/** The test files of some rungs, sorted. */
export const testFilesOf = (names: readonly string[]): string[] =>
  testFiles((file) => names.some((name) => testsOf[name]?.(file)));

/** The rungs, lowest first: a thing is shown on the lowest that can show it (CONTRIBUTING.md). */
export const rungs: Readonly<Record<string, (wish: Wish) => Stage[]>> = {
  static: () => [
    programStage('types', ['run', '--bun', '--silent', 'tsc', '-p', '.']),
    programStage(
      'lint',
      ['run', '--bun', '--silent', 'biome', 'ci', '--error-on-warnings', ...plain],
      'bun run format',
    ),
    programStage('own lints', ['hack/check.ts']),
    programStage('generated files', ['hack/generate.ts', '--check'], 'bun run generate'),
  ],
  unit({ extra, seed }) {
    const { files, flags } = pick(testFilesOf(['unit']), extra);
    if (files.length === 0) return [];
    return [
      testStage('unit', {
        files,
        flags: ['--only-failures', '--randomize', `--seed=${seed}`, '--timeout=60000', ...flags],
      }),
    ];
  },
  chart({ extra }) {
    const { files, flags } = pick(testFilesOf(['chart']), extra);
    if (files.length === 0) return [];
    const tools = toolsStage(['helm', 'etcd', 'kube-apiserver', 'kubectl']);
    return [tools, testStage('chart', { files, flags: ['--timeout=60000', ...flags] })];
  },
  sim: () => [simulation(2000)],
  api({ extra }) {
    const { files, flags } = pick(testFilesOf(['api']), extra);
    if (files.length === 0) return [];
    const tools = toolsStage(['etcd', 'kube-apiserver', 'kubectl']);
    const tests = (wanted: boolean) => ({
      files: files.filter((file) => waitsLong(file) === wanted),
      flags: ['--timeout=60000', ...flags],
    });
    return [tools, besideStage('api', tests(false), tests(true))];
  },
  e2e: () => [talliedStage('e2e', ['hack/e2e.ts', '--with-cert-manager'])],
  long: ({ extra }) => [
    toolsStage(['etcd', 'kube-apiserver', 'kubectl']),
    testStage('long', {
      files: ['test/api/drainkills.test.ts', 'test/api/rollkills.test.ts'],
      flags: ['--timeout=60000', ...pick([], extra).flags],
      env: { ROLLED_MACHINES: '500', ROLLED_KILLS: '30', DRAIN_KILLS: '100' },
    }),
    simulation(10_000),
  ],
};

const simulation = (seeds: number): Stage => programStage('simulation', ['hack/simulate.ts', '--seeds', String(seeds)]);

/** Rungs that run only when they are named: what they show is shown by others on a smaller scale. */
export const onlyNamed: ReadonlySet<string> = new Set(['long']);

/** Biome colours its output in CI, where nobody sees colours. */
const plain = process.stdout.isTTY ? [] : ['--colors=off'];

const needsApiServer = (file: string): boolean => /^test\/(?:api|conformance|hostile)\//.test(file);
const needsHelm = (file: string): boolean => file.startsWith('test/chart/');
/** Files whose tests mostly wait for outages to last and clocks to run: others have the processors meanwhile. */
const LONG =
  /\/(?:absent|backup|chaos|clusters|creation|drain|drainkills|inplace|lease|meltdown|orphans|outage|overshoot|preservation|rollkills|targetaway|zones)\.test/;
const waitsLong = (file: string): boolean => LONG.test(file);

const testFiles = (wanted: (file: string) => boolean): string[] =>
  [...new Bun.Glob('{schemas,controller,webhook,hack,test}/**/*.test.ts').scanSync('.')].filter(wanted).sort();
