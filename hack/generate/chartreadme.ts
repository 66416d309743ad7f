import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Generated, notice } from './generated.ts';
import { markdownTable } from './markdown.ts';
import { type ValueRow, valueRows } from './valuerows.ts';

const CHART = join(import.meta.dir, '../../charts/drover');

/** charts/drover/README.md: how to install the chart, and its values from the comments of values.yaml. */
export const chartReadme = (): Generated[] => [
  { path: 'charts/drover/README.md', content: `${[introduction, ways(), values(), pages].join('\n\n')}\n` },
];

const introduction = `# Drover by Helm

<!-- ${notice('values.yaml, ci/ and hack/generate/chartreadme.ts')} -->

The kinds MachineDeployment, MachineSet, Machine, MachineClass and Cluster; a controller that makes machines of them through
drivers; and an admission webhook that refuses what could only fail later. It takes the place of Gardener's
machine-controller-manager without touching a machine ([how](MIGRATION.md)).

It needs Kubernetes 1.30 or later, Helm 3.17 or later or Helm 4, and an image that your nodes can pull, in \`image.repository\`:
[make one and push it](OPERATIONS.md#bring-the-image).

\`\`\`sh
helm install drover charts/drover -n drover-system --create-namespace --set image.repository=registry.example.com/drover --wait
helm test drover -n drover-system
\`\`\`

To try it with simulated machines add \`--set driver.virtual.enabled=true\`, and make the [example herd](../../schemas/examples/herd.yaml).

Upgrade with \`helm upgrade\` to the chart of the new version, after a look at the upgrade notes in the
[changelog](../../CHANGELOG.md); the kinds are upgraded with it. Before you uninstall, delete the machines if they shall not
stay: \`helm uninstall\` leaves the kinds with all objects, and no VM is touched by it. [More on both](OPERATIONS.md).`;

/** One line for each file of values in ci/. */
const ways = (): string => `## Ways to install it

Each is rendered, and taken by a real API server, in the tests of the chart.

${markdownTable(['values', 'for'], readdirSync(join(CHART, 'ci')).sort().map(wayOf))}`;

function wayOf(file: string): string[] {
  const [first = ''] = readFileSync(join(CHART, 'ci', file), 'utf8').split('\n');
  return [`[${file.replace('-values.yaml', '')}](ci/${file})`, first.replace(/^# /, '')];
}

const values = (): string => `## Values

A key that is not in this table fails the installation, with its path ([values.schema.json](values.schema.json)). What stands
in \`controller.settings\` and \`webhook.settings\` are the [settings of the programs](../../schemas/SETTINGS.md) in camel case:
\`machineHealthTimeout\` for \`--machine-health-timeout\`.

${markdownTable(
  ['value', 'default', 'meaning'],
  valueRows(readFileSync(join(CHART, 'values.yaml'), 'utf8')).map(cellsOf),
)}`;

const cellsOf = ({ path, fallback, description }: ValueRow): string[] => [
  `\`${path}\``,
  `\`${fallback}\``,
  description.replaceAll('<', '\\<'),
];

const pages = `## Read on

- [OPERATIONS.md](OPERATIONS.md): certificates, high availability, upgrade, backup, uninstall, limits
- [TROUBLESHOOTING.md](TROUBLESHOOTING.md): what to do about what you see, and frequent questions
- [ALERTS.md](ALERTS.md): what each alert means
- [ACCESS.md](ACCESS.md): what Drover may do in your cluster, and why
- [AUTOSCALER.md](AUTOSCALER.md): with the cluster-autoscaler, upstream's and Gardener's
- [MIGRATION.md](MIGRATION.md): from machine-controller-manager, and back
- [BESIDE_MCM.md](BESIDE_MCM.md): with the machine controllers of MCM's providers, which make the machines`;
