import { expect, test } from 'bun:test';
import { determinismLint } from './determinism.ts';
import { trial } from './trial.ts';

const lint = trial(determinismLint);
const clock = 'take time from an injected Clock (controller/runtime/clock.ts)';
const chance = 'take chance from an injected Random (controller/runtime/random.ts)';

test.each([
  ['const t = Date.now();', [`1: Date.now: ${clock}`]],
  ['const o = { now: Date.now };', [`1: Date.now: ${clock}`]],
  ['const t = new Date();', [`1: new Date(): ${clock}`]],
  ['const t = new Date;', [`1: new Date(): ${clock}`]],
  ['const t = Date();', [`1: new Date(): ${clock}`]],
  ['const t = new Date(ms).toISOString();', []],
  ['const t = Date.parse(text);', []],
  ['\nsetTimeout(run, 5);', [`2: setTimeout: ${clock}`]],
  ['globalThis.setInterval(run, 5);', [`1: setInterval: ${clock}`]],
  ['const later = setTimeout;', [`1: setTimeout: ${clock}`]],
  ['await Bun.sleep(5);', [`1: Bun.sleep: ${clock}`]],
  ['fetch(url, { signal: AbortSignal.timeout(5) });', [`1: AbortSignal.timeout: ${clock}`]],
  ['const x = Math.random();', [`1: Math.random: ${chance}`]],
  ['const x = Math.floor(1.5);', []],
  ['interface Timers { setTimeout(ms: number): void }', []],
  ['timers.setTimeout(5);', []],
  ["const text = 'Date.now()'; // Math.random()", []],
  [`const text = \`\${setTimeout(run)} setTimeout(run)\`;`, [`1: setTimeout: ${clock}`]],
  ['const pattern = /Math.random()/;', []],
])('%p', async (text, found) => {
  expect(await lint('controller/machine/actions.ts', text)).toEqual(found);
});

test.each([
  ['controller/runtime/clock.ts', 0],
  ['controller/runtime/random.ts', 0],
  ['controller/runtime/clock.test.ts', 1],
  ['webhook/server/server.ts', 1],
  ['schemas/machine.ts', 1],
  ['test/simulation/rollout.test.ts', 1],
  ['test/api/watch.test.ts', 0],
  ['hack/commands/up.ts', 0],
])('in %s it finds %p', async (path, count) => {
  expect(await lint(path, 'Date.now()')).toHaveLength(count);
});
