import { providers } from '../../schemas/providers/index.ts';
import { compileCheck } from '../../webhook/providers/schema.ts';
import { worstSchemas } from '../fixtures/worstschemas.ts';
import type { Figures } from './figures.ts';

/** A providerSpec of the virtual driver as people write it. */
const ORDINARY = {
  latency: { create: '2s', boot: '30s', join: '10s', delete: '5s', spread: 0.2 },
  capacity: 100,
  node: { labels: { 'example.io/team': 'blue' }, capacity: { cpu: 4, memory: '16Gi', pods: 110 }, os: 'linux' },
  tags: { team: 'blue', purpose: 'herd' },
};

const ORDINARY_ROUNDS = 20_000;
const WORST_ROUNDS = 20;

/** Drivers' schemas: compiled, and tried on an ordinary providerSpec and on the worst that the bounds allow. */
export async function schemasBench(): Promise<Figures> {
  const [virtual] = providers;
  if (!virtual) throw new Error('there is no driver');
  const began = performance.now();
  const check = compileCheck('bench', virtual.providerSpec);
  const compiled = performance.now() - began;
  if (check(ORDINARY).length > 0) throw new Error(`the ordinary spec is bad: ${JSON.stringify(check(ORDINARY))}`);
  const ordinary = times(ORDINARY_ROUNDS, () => check(ORDINARY));
  return {
    compile_ms: compiled,
    ordinary_microseconds: (ordinary.reduce((sum, ms) => sum + ms, 0) / ORDINARY_ROUNDS) * 1000,
    worst: Object.fromEntries(worstSchemas.map((row) => [row[0].replaceAll(' ', '_'), worst(row)])),
  };
}

function worst([what, schema, document]: (typeof worstSchemas)[number]): Figures {
  const check = compileCheck(what, schema);
  const all = times(WORST_ROUNDS, () => check(document));
  const sorted = all.toSorted((a, b) => a - b);
  return { first_ms: all[0] ?? 0, p50_ms: sorted[WORST_ROUNDS / 2] ?? 0, most_ms: sorted.at(-1) ?? 0 };
}

const times = (rounds: number, run: () => void): number[] =>
  Array.from({ length: rounds }, () => {
    const began = performance.now();
    run();
    return performance.now() - began;
  });
