import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Case, Skipped } from './case.ts';
import type { Outcome } from './outcome.ts';
import { type Run, runCases } from './run.ts';

/** The runner with programs that say yes to everything, and write down what they were told. */

const folder = mkdtempSync(join(tmpdir(), 'drover-run-'));
const told = join(folder, 'told');

beforeAll(async () => {
  for (const name of ['kubectl', 'helm']) {
    await Bun.write(join(folder, name), `#!/bin/sh\necho "${name} $*" >>${told}\n`);
    chmodSync(join(folder, name), 0o755);
  }
});

afterAll(() => rmSync(folder, { recursive: true }));

const named = (name: string, changes: Partial<Case> = {}): Case => ({
  name,
  shows: name,
  needs: { release: 'shared' },
  run: async () => {},
  ...changes,
});

const runOf = (changes: Partial<Run> = {}): Run => ({
  programs: { kubectl: join(folder, 'kubectl'), helm: join(folder, 'helm'), kubeconfig: 'none', scratch: folder },
  surroundings: {
    images: { drover: 'drover:1', busybox: 'busybox:1' },
    chart: 'chart',
    root: folder,
    ownCluster: true,
  },
  seed: 1,
  keep: false,
  signal: new AbortController().signal,
  report: () => {},
  prepare: async () => {},
  ...changes,
});

const ends = (outcomes: readonly Outcome[]) => outcomes.map(({ name, end, why }) => [name, end, why]).toSorted();
const commands = () => (existsSync(told) ? readFileSync(told, 'utf8') : '');
const breaks = (why: string) => () => Promise.reject(new Error(why));

test('cases pass, fail and are skipped on their own', async () => {
  const skips = named('c', { run: () => Promise.reject(new Skipped('no network')) });
  const outcomes = await runCases([named('a'), named('b', { run: breaks('it broke') }), skips], runOf());
  expect(ends(outcomes)).toEqual([
    ['a', 'passed', ''],
    ['b', 'failed', 'it broke'],
    ['c', 'skipped', 'no network'],
  ]);
});

test('what was typed and seen of a failed case is kept, and what it made goes', async () => {
  const types: Case['run'] = async (scene) => {
    await scene.kubectl('get', 'something');
    throw new Error('it broke');
  };
  const [outcome] = await runCases([named('typing', { run: types, cleanUp: breaks('untidy') })], runOf());
  expect(readFileSync(join(outcome?.folder ?? '', 'commands.txt'), 'utf8')).toContain('get something\n');
  expect(existsSync(join(outcome?.folder ?? '', 'events.txt'))).toBe(true);
  expect(commands()).toMatch(/delete machinedeployments\S* .*/);
});

test('a case that cannot be taken away has failed', async () => {
  const [outcome] = await runCases([named('untidy', { cleanUp: breaks('it stays') })], runOf());
  expect(outcome).toMatchObject({ end: 'failed', why: 'what the case made could not be taken away\nit stays' });
});

test('cases fail for what keeps their round from beginning', async () => {
  const outcomes = await runCases([named('a'), named('b')], runOf({ prepare: breaks('no room') }));
  expect(ends(outcomes)).toEqual([
    ['a', 'failed', 'no room'],
    ['b', 'failed', 'no room'],
  ]);
});

test('Nodes of a cluster that is not ours are not drained', async () => {
  const { surroundings } = runOf();
  const run = runOf({ surroundings: { ...surroundings, ownCluster: false } });
  const [outcome] = await runCases([named('a', { needs: { release: 'shared', ownCluster: true } })], run);
  expect(outcome).toMatchObject({ end: 'skipped' });
});

test('cases that are alone run one by one, each on a prepared cluster; others together', async () => {
  const events: string[] = [];
  const noting = (name: string, alone: boolean) =>
    named(name, {
      needs: { release: 'shared', alone },
      run: async () => {
        events.push('begins');
        await Promise.resolve();
        await Bun.sleep(0);
        events.push('ends');
      },
    });
  const prepare = async () => void events.push('prepared');
  await runCases([noting('a', true), noting('b', true)], runOf({ prepare }));
  expect(events).toEqual(['prepared', 'begins', 'ends', 'prepared', 'begins', 'ends']);
  events.length = 0;
  const both = Promise.withResolvers<void>();
  const waits = (name: string, then: () => void) =>
    named(name, {
      run: async () => {
        then();
        await both.promise;
      },
    });
  const outcomes = await runCases([waits('a', () => events.push('a')), waits('b', () => both.resolve())], runOf());
  expect(outcomes.map(({ end }) => end)).toEqual(['passed', 'passed']);
});

test('an interrupted run begins no further case', async () => {
  const ending = new AbortController();
  const stops = named('a', { needs: { release: 'shared', alone: true }, run: async () => ending.abort() });
  const outcomes = await runCases([stops, { ...stops, name: 'b' }], runOf({ signal: ending.signal }));
  expect(outcomes).toHaveLength(1);
});

test('a run that keeps what it made ends with the first failure', async () => {
  const alone = { release: 'shared', alone: true } as const;
  const fails = named('a', { needs: alone, run: breaks('it broke') });
  const outcomes = await runCases([fails, { ...fails, name: 'b' }], runOf({ keep: true }));
  expect(outcomes).toHaveLength(1);
});
