import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, HOST, isFree, keptPorts, rangeOf } from './ports.ts';

const folder = mkdtempSync(join(tmpdir(), 'drover-ports-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a port on which somebody listens is not free', async () => {
  const port = await freePort();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, HOST, resolve));
  expect(await isFree(port)).toBe(false);
  await new Promise((resolve) => server.close(resolve));
  expect(await isFree(port)).toBe(true);
});

test('no port is handed out twice, though nothing listens on it yet', async () => {
  const ports = await Promise.all(Array.from({ length: 200 }, freePort));
  expect(new Set(ports).size).toBe(200);
});

test('processes of one test run choose from ranges of their own', () => {
  const ranges = Array.from({ length: 16 }, (_, worker) => rangeOf(String(worker)));
  for (const [at, [lowest, highest]] of ranges.entries()) {
    expect(highest - lowest).toBeGreaterThan(500);
    expect(lowest).toBeGreaterThan(ranges[at - 1]?.[1] ?? 0);
  }
  expect([ranges[0]?.[0], ranges.at(-1)?.[1]]).toEqual(rangeOf(undefined));
});

test('a name keeps its port from one call to the next', async () => {
  const file = join(folder, 'ports.json');
  const first = await keptPorts(file, ['etcd'], () => false);
  const second = await keptPorts(file, ['etcd', 'apiserver'], () => false);
  expect(second.etcd).toBe(first.etcd);
  expect(await keptPorts(file, ['apiserver', 'etcd'], () => false)).toEqual(second);
});

test('a port that somebody else took is given up, but not one that its own server has', async () => {
  const file = join(folder, 'taken.json');
  const { etcd } = await keptPorts(file, ['etcd'], () => false);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(etcd, HOST, resolve));
  expect(await keptPorts(file, ['etcd'], () => true)).toEqual({ etcd });
  expect(await keptPorts(file, ['etcd'], () => false)).not.toEqual({ etcd });
  await new Promise((resolve) => server.close(resolve));
});
