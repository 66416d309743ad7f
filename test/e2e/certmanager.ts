import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type KindCluster, kubectl, loadImage } from '../../hack/kind/cluster.ts';
import { writeArchive } from '../../hack/kind/offline/archive.ts';
import { layOut } from '../../hack/kind/offline/parts.ts';
import { withProgress } from '../../hack/lib/progress.ts';
import { until } from '../../hack/lib/until.ts';
import { findTools } from '../../hack/tools/find.ts';
import { run } from '../../hack/tools/run.ts';
import { sourcesOf } from '../../hack/tools/sources.ts';
import { toolsOf } from '../../hack/tools/table.ts';

/** Its programs, which `installCertManager` builds where they are missing. */
export const PROGRAMS = ['cert-manager-controller', 'cert-manager-webhook', 'cert-manager-cainjector'] as const;

/** Where cert-manager's chart looks for its images. */
const REGISTRY = 'quay.io/jetstack';

/** Any number but root's: the chart asks for no other. */
const USER = '65532';

const ISSUER = `apiVersion: cert-manager.io/v1
kind: Issuer
metadata:
  name: probe
  namespace: default
spec:
  selfSigned: {}
`;

/**
 * Installs cert-manager in the namespace `cert-manager` by its own chart, and waits until it takes Issuers. No image is pulled:
 * its programs are built from its Go module, which takes minutes the first time. Throws a sentence.
 */
export async function installCertManager(cluster: KindCluster): Promise<void> {
  const programs = await findTools(PROGRAMS);
  const { helm } = await findTools(['helm']);
  const folder = mkdtempSync(join(tmpdir(), 'cert-manager-'));
  try {
    const chart = writeChart(await sourcesOf(PROGRAMS[0]), { folder, version: versionOf(PROGRAMS[0]) });
    await withProgress(process.stderr, `cert-manager on ${cluster.name}`, async () => {
      for (const name of PROGRAMS) await loadImage(cluster, await archiveOf(name, { program: programs[name], folder }));
      const where = ['--kubeconfig', cluster.kubeconfig, '--namespace', 'cert-manager', '--create-namespace'];
      const how = ['--wait', '--timeout', '180s', '--set', 'startupapicheck.enabled=false'];
      await run([helm, 'install', 'cert-manager', chart, ...where, ...how]);
      await untilItTakesIssuers(cluster, folder);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const versionOf = (program: string): string =>
  toolsOf().find(({ programs }) => programs.includes(program))?.version ?? '';

async function archiveOf(name: string, { program, folder }: { program: string; folder: string }): Promise<string> {
  const image = { reference: `${REGISTRY}/${name}:v${versionOf(name)}`, entrypoint: [`/${name}`], user: USER };
  const [root, output] = [join(folder, name), join(folder, `${name}.tar`)];
  await layOut({ ...image, files: { [`/${name}`]: program }, debian: [] }, root, '/');
  await writeArchive({ root, image, output });
  return output;
}

/**
 * Puts the chart together as the makers do for a release: its version, and the CRDs among its templates. Returns its folder.
 * @param sources the sources of cert-manager
 */
export function writeChart(sources: string, { folder, version }: { folder: string; version: string }): string {
  const from = join(sources, 'deploy/charts/cert-manager');
  const chart = join(folder, 'chart');
  mkdirSync(join(chart, 'templates'), { recursive: true });
  const templates = globSync(join(from, 'templates/*'));
  for (const file of [...templates, ...globSync(join(sources, 'deploy/crds/*.yaml'))]) {
    cpSync(file, join(chart, 'templates', basename(file)));
  }
  cpSync(join(from, 'values.yaml'), join(chart, 'values.yaml'));
  const described = readFileSync(join(from, 'Chart.template.yaml'), 'utf8');
  writeFileSync(join(chart, 'Chart.yaml'), described.replace(/^(version|appVersion): .*$/gm, `$1: v${version}`));
  return chart;
}

/** A Deployment is Available before the API server trusts its webhook. */
async function untilItTakesIssuers(cluster: KindCluster, folder: string): Promise<void> {
  const file = join(folder, 'issuer.yaml');
  writeFileSync(file, ISSUER);
  const look = () => kubectl(cluster, 'create', '--dry-run=server', '--filename', file);
  await until('cert-manager to take an Issuer', look, { timeoutMs: 60_000, everyMs: 500 });
}
