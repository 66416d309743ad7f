import { availableParallelism } from 'node:os';
import { programStage, type Stage, talliedStage, testStage, toolsStage } from './stage.ts';
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
    programStage('lint', ['run', '--bun', '--silent', 'biome', 'ci', '--error-on-warnings', ...plain], {
      mend: 'bun run format',
    }),
    programStage('own lints', ['hack/main.ts', 'check']),
    programStage('generated files', ['hack/main.ts', 'generate', '--check'], { mend: 'bun run generate' }),
  ],
  unit({ extra, seed }) {
    const { files, flags } = pick(testFilesOf(['unit']), extra);
    if (files.length === 0) return [];
    return [
      testStage('unit', {
        files,
        flags: ['--only-failures', '--randomize', `--seed=${seed}`, '--timeout=60000', ...flags],
        atOnce: AT_ONCE.unit,
      }),
    ];
  },
  chart({ extra }) {
    const { files, flags } = pick(testFilesOf(['chart']), extra);
    if (files.length === 0) return [];
    const tools = toolsStage(['helm', 'etcd', 'kube-apiserver', 'kubectl']);
    const tests = { files, flags: [PATIENCE, ...flags], env: SERVERS, atOnce: AT_ONCE.chart };
    return [tools, testStage('chart', tests)];
  },
  sim: () => [simulation(SEEDS)],
  api({ extra }) {
    const { files, flags } = pick(testFilesOf(['api']), extra);
    if (files.length === 0) return [];
    // All that any of its files starts: a build takes longer than the hook of a test may.
    const tools = toolsStage(['etcd', 'kube-apiserver', 'kubectl', 'kube-controller-manager', 'kube-scheduler']);
    const long = files.filter((file) => LONG.test(file));
    const tests = { files, flags: [PATIENCE, ...flags], env: SERVERS, atOnce: AT_ONCE.api, long };
    return [tools, testStage('api', tests)];
  },
  e2e: () => [talliedStage('e2e', ['hack/main.ts', 'e2e', '--with-cert-manager'])],
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

/** How many worlds are simulated where nobody says how many. */
export const SEEDS = 500;

const simulation = (seeds: number): Stage =>
  programStage('simulation', ['hack/main.ts', 'simulate', '--seeds', String(seeds)], { patient: true });

/** Files that run at a time. Tests on API servers mostly wait, for outages to last and clocks to run; others compute. */
const AT_ONCE = { unit: Math.min(2, availableParallelism()), chart: 3, api: 4 };

/** Servers of some files start at the same time, perhaps on a machine that is busy with other things, too. */
const PATIENCE = '--timeout=180000';

/** Variables for etcd, kube-apiserver, kubectl and helm: with a third more memory they compute a sixth less. */
const SERVERS = { GOGC: '400' };

/** Rungs that run only when they are named: what they show is shown by others on a smaller scale. */
export const onlyNamed: ReadonlySet<string> = new Set(['long']);

/** Biome colours its output in CI, where nobody sees colours. */
const plain = process.stdout.isTTY ? [] : ['--colors=off'];

const needsApiServer = (file: string): boolean => /^test\/(?:api|conformance|hostile)\//.test(file);
const needsHelm = (file: string): boolean => file.startsWith('test/chart/');

/** Files of the rung `api` that take a minute or more where others compute beside them. */
const LONG =
  /\/(?:absent|backup|chaos|clusters|creation|drain|drainkills|fulltargets|inplace|lease|meltdown|mistakeinside|orphans|outage|overshoot|preservation|rollkills|targetaway|tenant|zones)\.test/;

const testFiles = (wanted: (file: string) => boolean): string[] =>
  [...new Bun.Glob('{schemas,controller,webhook,hack,test}/**/*.test.ts').scanSync('.')].filter(wanted).sort();
