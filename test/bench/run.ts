import { mkdirSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { cacheBench, watchBench } from './cache.ts';
import { clustersBench } from './clusters.ts';
import { drainBench } from './drain.ts';
import { type Figures, rounded } from './figures.ts';
import { imageBench } from './image.ts';
import { kubectlDrainBench } from './kubectldrain.ts';
import { machinesBench } from './machines.ts';
import { nodesBench } from './nodes.ts';
import { planBench } from './plan.ts';
import { queueBench } from './queue.ts';
import { rolloutBench } from './rollout.ts';
import { schemasBench } from './schemas.ts';
import { standingBench } from './standing.ts';
import { webhookBench } from './webhook.ts';

/**
 * `bun run bench [name …] [--out FILE]`: measures, and prints one JSON document; progress goes to standard error. Each
 * bench runs in a process of its own (`--alone`), so that none inherits memory or compiled code from another.
 */

const benches: Readonly<Record<string, () => Promise<Figures>>> = {
  queue: queueBench,
  watch: watchBench,
  cache: cacheBench,
  nodes: nodesBench,
  schemas: schemasBench,
  plan: planBench,
  webhook: webhookBench,
  machines: machinesBench,
  drain: drainBench,
  kubectldrain: kubectlDrainBench,
  rollout: rolloutBench,
  standing: standingBench,
  clusters: clustersBench,
  image: imageBench,
};

async function runHere(name: string): Promise<never> {
  console.log(JSON.stringify(rounded((await benches[name]?.()) ?? {})));
  process.exit(0);
}

async function runAll(names: readonly string[], out: string | undefined): Promise<void> {
  const results: Record<string, Figures> = {};
  for (const name of names) results[name] = await runAlone(name);
  const text = `${JSON.stringify({ machine: machine(), ...results }, null, 2)}\n`;
  process.stdout.write(text);
  if (out === undefined) return;
  mkdirSync(dirname(out), { recursive: true });
  await Bun.write(out, text);
}

async function runAlone(name: string): Promise<Figures> {
  const start = performance.now();
  process.stderr.write(`${name} ...`);
  const child = Bun.spawn([process.execPath, import.meta.path, '--alone', name], { stdout: 'pipe', stderr: 'inherit' });
  const [text, code] = await Promise.all([child.stdout.text(), child.exited]);
  if (code !== 0) throw new Error(`the bench ${name} failed`);
  process.stderr.write(` ${((performance.now() - start) / 1000).toFixed(0)} s\n`);
  return JSON.parse(text);
}

/** What the figures depend on most. */
const machine = () => ({
  cpu: cpus()[0]?.model ?? '',
  cores: cpus().length,
  memory_gib: Math.round(totalmem() / 1024 ** 3),
  system: `${type()} ${release()}`,
  bun: Bun.version,
});

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string' }, alone: { type: 'boolean', default: false } },
});
const unknown = positionals.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(`there is no bench ${unknown.join(', ')}: name any of ${Object.keys(benches).join(', ')}`);
  process.exit(2);
}
if (values.alone) await runHere(positionals[0] ?? '');
else await runAll(positionals.length > 0 ? positionals : Object.keys(benches), values.out);
