/** How much of something a file may import: everything, its types only, or a module only when it is needed (`await import`). */
export type Extent = 'all' | 'types' | 'lazy';

/** A package that a room may import. */
export interface Package {
  name: string;
  /** Everything, unless told. */
  extent?: Extent;
  /** Which files of the room, if not all. */
  files?: RegExp;
}

/** A folder of the project, and what its files may import beside what is below them. */
export interface Room {
  /** The folder with all below it that is no room itself, or a file that stands for itself. */
  folder: string;
  /** Decides: of rooms that do not, it imports types alone. */
  pure?: true;
  /** One of several kinds of objects, of which none knows another. */
  kind?: string;
  /** Which paths of the rooms below it may import, if not all. */
  sees?: RegExp;
  packages?: readonly Package[];
}

const webhook = { sees: /^(?:webhook|schemas|controller\/runtime)\// };
const runtime = /^(?:controller\/runtime\/|schemas\/(?:same|refusednetworks)\.ts$)/;
const nothing = /^$/;

/**
 * The rooms, top to bottom: a file imports from its own room and from those below it, never upward, and so never in a circle.
 * Tests may import everything, and so may `hack`.
 */
export const rooms: readonly Room[] = [
  { folder: 'webhook', ...webhook },
  { folder: 'webhook/server', ...webhook, packages: [{ name: 'hono' }] },
  { folder: 'webhook/manifests', ...webhook },
  { folder: 'webhook/rules/kinds', ...webhook, packages: [{ name: 'valibot', extent: 'types' }] },
  { folder: 'webhook/rules', ...webhook },
  {
    folder: 'webhook/certificate',
    ...webhook,
    packages: [
      { name: '@peculiar/x509', extent: 'lazy' },
      { name: 'reflect-metadata', extent: 'lazy' },
    ],
  },
  { folder: 'webhook/admission', ...webhook, packages: [{ name: 'valibot' }] },
  { folder: 'webhook/providers', ...webhook, packages: [{ name: 'ajv' }, { name: 're2js' }] },
  { folder: 'controller' },
  { folder: 'controller/manager' },
  { folder: 'controller/safety/orphans', kind: 'orphans' },
  { folder: 'controller/safety/orphans/flow', kind: 'orphans', pure: true },
  { folder: 'controller/machineset', kind: 'machineset' },
  { folder: 'controller/machineset/flow', kind: 'machineset', pure: true },
  { folder: 'controller/machinedeployment', kind: 'machinedeployment' },
  { folder: 'controller/machinedeployment/flow', kind: 'machinedeployment', pure: true },
  { folder: 'controller/machineclass', kind: 'machineclass' },
  { folder: 'controller/machineclass/flow.ts', kind: 'machineclass', pure: true },
  { folder: 'controller/cluster', kind: 'cluster' },
  { folder: 'controller/cluster/flow.ts', kind: 'cluster', pure: true },
  { folder: 'controller/machine', kind: 'machine' },
  { folder: 'controller/machine/status', kind: 'machine', pure: true },
  { folder: 'controller/machine/calls', kind: 'machine' },
  { folder: 'controller/machine/bootstrap', kind: 'machine' },
  { folder: 'controller/machine/flow', kind: 'machine', pure: true },
  { folder: 'controller/drain' },
  { folder: 'controller/drain/flow', pure: true },
  { folder: 'controller/safety/meltdown', pure: true },
  { folder: 'controller/state' },
  { folder: 'controller/nodes/write.ts' },
  { folder: 'controller/nodes/host.ts' },
  { folder: 'controller/safety/outage', pure: true },
  { folder: 'controller/targets' },
  { folder: 'controller/nodes', pure: true },
  { folder: 'controller/model', pure: true },
  { folder: 'controller/framework' },
  { folder: 'controller/drivers' },
  { folder: 'controller/drivers/virtual', packages: [{ name: 'valibot' }] },
  { folder: 'controller/flow', pure: true, packages: [{ name: 'valibot', extent: 'types' }] },
  { folder: 'controller/drivers/sdk', pure: true },
  {
    folder: 'schemas',
    sees: /^schemas\//,
    packages: [{ name: 'valibot' }, { name: '@valibot/to-json-schema' }],
  },
  { folder: 'controller/runtime/kubeconfig', sees: runtime },
  { folder: 'controller/runtime/leader', sees: runtime },
  { folder: 'controller/runtime/health', sees: runtime },
  { folder: 'controller/runtime/events', sees: runtime },
  { folder: 'controller/runtime/queue', sees: runtime },
  { folder: 'controller/runtime/watch', sees: runtime },
  {
    folder: 'controller/runtime/client',
    sees: runtime,
    packages: [
      { name: '@kubernetes/client-node', extent: 'lazy', files: /\/typed\.ts$/ },
      { name: '@kubernetes/client-node', extent: 'types' },
    ],
  },
  { folder: 'controller/runtime/program', sees: runtime },
  {
    folder: 'controller/runtime/observability',
    sees: runtime,
    packages: [{ name: 'pino' }, { name: 'prom-client' }, { name: 'hono', files: /\/server\.ts$/ }],
  },
  { folder: 'controller/runtime/memory', sees: runtime },
  { folder: 'controller/runtime/fairness', sees: runtime },
  { folder: 'controller/runtime/dns', sees: runtime },
  { folder: 'controller/runtime', sees: runtime },
  { folder: 'controller/runtime/k8s', pure: true, sees: runtime },
  { folder: 'schemas/same.ts', pure: true, sees: nothing },
  { folder: 'schemas/refusednetworks.ts', pure: true, sees: nothing },
];
