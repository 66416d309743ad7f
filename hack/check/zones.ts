/** How much of something a file may import: everything, its types only, or a module only when it is needed (`await import`). */
export type Extent = 'all' | 'types' | 'lazy';

/** A part of the project, and what its files may import. */
export interface Zone {
  name: string;
  /** Its files; a first group, if any, names the folder that counts as a file's own. */
  holds: RegExp;
  /** Zones by name, and how much of them; `own` is everything in the file's own folder, and nothing of other folders. */
  zones: Readonly<Record<string, Extent | 'own'>> | 'every';
  /** Packages by name, how much of them, and, if not all may, which files. */
  packages: ReadonlyArray<{ name: string; extent?: Extent; files?: RegExp }> | 'every';
  /** Ends the sentence of a finding. */
  because: string;
}

const KIND = '(cluster|machine|machineset|machinedeployment|machineclass|safety)';

const everyPart = {
  assembly: 'all',
  writes: 'all',
  decisions: 'all',
  effects: 'all',
  measures: 'all',
  gate: 'all',
  meltdown: 'all',
  drainPlan: 'all',
  drainEffects: 'all',
  orphanPlan: 'all',
  orphanEffects: 'all',
  drivers: 'all',
} as const;
const own = { gate: 'all', decisions: 'own', effects: 'own', measures: 'own' } as const;
const contract = { schemas: 'all', values: 'all', shapes: 'all', parts: 'all' } as const;

/**
 * Who may import whom: decisions import no machinery, machinery imports no domain. A file belongs to the first zone that
 * holds it. Modules of Bun and Node are free to all.
 */
export const zones: readonly Zone[] = [
  {
    name: 'tests',
    holds: /\.(test|fake|fixture)\.ts$|^test\//,
    zones: 'every',
    packages: 'every',
    because: '',
  },
  {
    name: 'hack',
    holds: /^hack\//,
    zones: 'every',
    packages: 'every',
    because: '',
  },
  {
    name: 'values',
    holds: /^schemas\/same\.ts$/,
    zones: {},
    packages: [],
    because: 'how values of JSON compare depends on nothing',
  },
  {
    name: 'networks',
    holds: /^schemas\/refusednetworks\.ts$/,
    zones: {},
    packages: [],
    because: 'a table of networks that texts quote and machinery judges by depends on nothing',
  },
  {
    name: 'schemas',
    holds: /^schemas\//,
    zones: { schemas: 'all', values: 'all', networks: 'all' },
    packages: [{ name: 'valibot' }, { name: '@valibot/to-json-schema' }],
    because: 'schemas are pure data that everybody reads',
  },
  {
    name: 'shapes',
    holds: /^controller\/runtime\/(object|core|workload|timestamp)\.ts$/,
    zones: { shapes: 'all' },
    packages: [],
    because: 'the shapes of Kubernetes objects depend on nothing',
  },
  {
    name: 'runtime',
    holds: /^controller\/runtime\//,
    zones: { runtime: 'all', shapes: 'all', values: 'all', networks: 'all', project: 'all' },
    packages: [
      { name: 'pino' },
      { name: 'prom-client' },
      { name: 'hono', files: /\/serve\.ts$/ },
      { name: '@kubernetes/client-node', extent: 'lazy', files: /\/typed\.ts$/ },
      { name: '@kubernetes/client-node', extent: 'types' },
    ],
    because: 'machinery knows keys and objects, nothing of machines',
  },
  {
    name: 'assembly',
    holds:
      /^controller\/(main|run|start|loops|leading|caches|triggers|flows|connections|deps|process|metrics|tokenloop|classloop|clusterloop|orphanlanes|orphanloop|reaching|openedtarget|targetcaches|targetguard|targetlanes|targetpool|targetroom)\.ts$/,
    zones: { ...contract, ...everyPart, runtime: 'all' },
    packages: [],
    because: 'the controller and the webhook are two programs',
  },
  {
    name: 'writes',
    holds: /^controller\/(writes|nodewrites|childwrites)\.ts$/,
    zones: { ...contract, runtime: 'all', writes: 'all' },
    packages: [],
    because: 'what all kinds write alike knows none of them',
  },
  {
    name: 'parts',
    holds: /^controller\/[^/]+\.ts$/,
    zones: { ...contract, runtime: 'types', writes: 'types' },
    packages: [{ name: 'valibot', extent: 'types' }],
    because: 'what all reconcilers share is plain words and pure functions',
  },
  {
    name: 'gate',
    holds: /^controller\/safety\/gate\w*\.ts$/,
    zones: { ...contract, gate: 'all', runtime: 'types' },
    packages: [],
    because: 'what keeps all kinds from taking things away knows none of them',
  },
  {
    name: 'drivers',
    holds: /^controller\/drivers\/(?:([^/]+)\/)?/,
    zones: { ...contract, runtime: 'all', drivers: 'own' },
    packages: [{ name: 'valibot' }],
    because: 'a driver knows its cloud and the contract, no reconciler and no other driver',
  },
  {
    name: 'drainEffects',
    holds:
      /^controller\/drain\/(?:observe|apply|memory|drainmemory|podmemory|flights|callroom|claimed|strays|calls|budgets|volumes|metrics|\w*labels|labelroom|lookup|judging|unseen)\.ts$/,
    zones: { ...contract, drainPlan: 'all', drainEffects: 'all', runtime: 'all' },
    packages: [],
    because: 'a drain knows Nodes and pods, nothing of Machines',
  },
  {
    name: 'drainPlan',
    holds: /^controller\/drain\//,
    zones: { ...contract, drainPlan: 'all' },
    packages: [],
    because: 'decisions are pure and import no machinery, and a drain knows nothing of Machines',
  },
  {
    name: 'orphanEffects',
    holds: /^controller\/safety\/orphans\/(?:observe|sweeper|deletions|gone|nodeeffects|nodesweep)\.ts$/,
    zones: { ...contract, gate: 'all', orphanPlan: 'all', writes: 'all', runtime: 'all', orphanEffects: 'all' },
    packages: [],
    because: 'a sweep knows VMs and what Machines say of them, nothing of how Machines are made',
  },
  {
    name: 'orphanPlan',
    holds: /^controller\/safety\/orphans\//,
    zones: { ...contract, gate: 'all', orphanPlan: 'all', runtime: 'types' },
    packages: [],
    because: 'decisions are pure and import no machinery',
  },
  {
    name: 'meltdown',
    holds: /^controller\/safety\/meltdown\//,
    zones: { ...contract, meltdown: 'all', runtime: 'types' },
    packages: [],
    because: 'how many machines are ill is counted from facts, whoever decides by it',
  },
  {
    name: 'effects',
    holds: new RegExp(
      `^controller/${KIND}/(?:observe|apply|carryout|controller|calls|callfailures|callslots|updates|drivercalls|herd|parts|creating|kubeconfigs|tokens|observedrain|observenodes)\\.ts$`,
    ),
    zones: {
      ...contract,
      ...own,
      meltdown: 'all',
      drainPlan: 'all',
      drainEffects: 'all',
      writes: 'all',
      runtime: 'all',
    },
    packages: [],
    because: 'kinds meet in their objects; what two of them need stands beside them, in controller/',
  },
  {
    name: 'measures',
    holds: new RegExp(`^controller/${KIND}/(?:metrics|collect|meter)\\.ts$`),
    zones: { ...contract, ...own, runtime: 'types' },
    packages: [],
    because: 'what is measured of a kind is read from its own objects and decisions',
  },
  {
    name: 'decisions',
    holds: new RegExp(`^controller/${KIND}/`),
    zones: { ...contract, ...own, meltdown: 'all', drainPlan: 'all' },
    packages: [],
    because: 'decisions are pure and import no machinery; what two kinds need stands beside them, in controller/',
  },
  {
    name: 'webhook',
    holds: /^webhook\//,
    zones: { schemas: 'all', values: 'all', shapes: 'all', runtime: 'all', webhook: 'all' },
    packages: [
      { name: 'hono' },
      { name: 'valibot' },
      { name: 'ajv' },
      { name: 're2js' },
      { name: '@peculiar/x509', extent: 'lazy' },
      { name: 'reflect-metadata', extent: 'lazy' },
    ],
    because: 'the webhook uses the machinery and the schemas, nothing else of the controller',
  },
  {
    name: 'project',
    holds: /^[^/]+$/,
    zones: {},
    packages: [],
    because: 'files of the top level hold settings of tools',
  },
];
