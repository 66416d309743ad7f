import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Built, buildImage } from '../../hack/imagebuild/build.ts';
import { until } from '../../hack/lib/until.ts';
import { ownArch } from '../../hack/tools/platform.ts';
import { type Contained, canContain, type Rootfs, start, unpack } from '../api/support/container.ts';
import type { OwnCluster } from '../api/support/controlplane.ts';
import { type Figures, quantile } from './figures.ts';
import { onStage } from './stage.ts';
import { anonymousMiB, cpuUsed, memoryMiB } from './usage.ts';

const STARTS = 15;
/** What a program still does once it is ready, and the garbage that it collects, is over by then. */
const REST_MS = 5_000;
const SOON = { timeoutMs: 15_000, everyMs: 2 };
const RBAC = join(import.meta.dir, '../../charts/drover/files/rbac');
const CERTIFICATE = ['-n', 'drover-system', 'delete', 'secret', 'drover-webhook-tls', '--ignore-not-found'];

/** The image's size, and how long its programs take, from the start of the process until they are ready; as containers. */
export async function imageBench(): Promise<Figures> {
  if (!canContain) throw new Error('this bench starts containers: it needs Linux, and root');
  const arch = ownArch();
  if (arch !== 'amd64' && arch !== 'arm64') throw new Error(`no image is built for ${arch}`);
  const folder = mkdtempSync(join(tmpdir(), 'drover-bench-'));
  try {
    const built = await buildImage({ arch, folder });
    const rootfs = await unpack(built.archive, folder);
    return { ...sizes(built, rootfs), ...(await onStage(({ cluster }) => programs({ cluster, rootfs, folder }))) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const sizes = ({ archive }: Built, { folder }: Rootfs): Figures => ({
  archive_mib: mebibytes(archive),
  program_mib: mebibytes(join(folder, 'usr/local/bin/drover')),
});

const mebibytes = (file: string): number => statSync(file).size / 1024 ** 2;

interface Place {
  cluster: OwnCluster;
  rootfs: Rootfs;
  folder: string;
}

/** One command of the image, and how it is seen that it is ready. */
interface Command {
  name: 'webhook' | 'controller';
  flags: readonly string[];
  isReady(program: Contained): Promise<boolean>;
}

const commands: readonly Command[] = [
  {
    name: 'controller',
    flags: ['--leader-elect=false'],
    isReady: async (program) => (await program.lines()).some((line) => line.includes('"msg":"started"')),
  },
  {
    name: 'webhook',
    flags: [],
    async isReady(program) {
      const tls = { rejectUnauthorized: false };
      const answer = await fetch(`https://127.0.0.1:${await program.port()}/readyz`, { tls });
      return answer.ok;
    },
  },
];

async function programs(place: Place): Promise<Figures> {
  const found: Record<string, Figures> = {};
  for (const command of commands) found[command.name] = await measured(place, command);
  const [, webhook] = commands;
  if (!webhook) return found;
  await place.cluster.kubectl(CERTIFICATE);
  const first = await ready(place, webhook);
  await first.program.stop();
  return { ...found, webhook: { ...found['webhook'], ready_with_a_new_certificate_ms: first.ms } };
}

/** Starts of one command, the first of which finds cold files; and its memory when nothing happens. */
async function measured(place: Place, command: Command): Promise<Figures> {
  const times: number[] = [];
  const cpu: number[] = [];
  for (let turn = 0; turn < STARTS; turn++) {
    const { program, ms } = await ready(place, command);
    times.push(ms);
    cpu.push(cpuUsed(program.pid) * 1000);
    await program.stop();
  }
  const { program } = await ready(place, command);
  await Bun.sleep(REST_MS);
  const memory = { idle_rss_mib: memoryMiB(program.pid).now, idle_anonymous_mib: anonymousMiB(program.pid) };
  await program.stop();
  return {
    ready_ms: quantile(times, 0.5),
    ready_least_ms: Math.min(...times),
    ready_cpu_ms: quantile(cpu, 0.5),
    ...memory,
  };
}

async function ready(
  { cluster, rootfs, folder }: Place,
  command: Command,
): Promise<{ program: Contained; ms: number }> {
  const { name, flags, isReady } = command;
  await cluster.kubectl(['apply', '-f', join(RBAC, `${name}.yaml`)]);
  const env = await rootfs.serveAs(await cluster.serviceAccount('drover-system', `drover-${name}`), 'drover-system');
  const [log, entered] = [join(folder, `${name}-${crypto.randomUUID()}.log`), join(folder, 'entered')];
  const program = start(rootfs, { args: [name, '--address=127.0.0.1', '--port=0', ...flags], env, log, entered });
  await until(`the ${name} to be ready`, () => isReady(program), SOON);
  const now = performance.timeOrigin + performance.now();
  return { program, ms: now - Number(await Bun.file(entered).text()) / 1e6 };
}
