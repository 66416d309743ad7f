import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { locked } from './lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'drover-lock-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts a process that takes the lock, says so, and holds it until its stdin ends. */
function holder(file: string) {
  const script = `
    import { locked } from '${import.meta.dir}/lock.ts';
    await locked({ file: '${file}' }, async () => { console.log('held'); await Bun.stdin.text(); });
  `;
  return Bun.spawn([process.execPath, '-e', script], { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' });
}

test('two holders never work at the same time', async () => {
  const file = join(folder, 'two');
  const log: string[] = [];
  const work = (name: string) => async () => {
    log.push(`${name} begins`);
    await Promise.resolve();
    log.push(`${name} ends`);
  };
  await Promise.all([locked({ file }, work('one')), locked({ file }, work('other'))]);
  expect(log).toEqual(['one begins', 'one ends', 'other begins', 'other ends']);
});

test('a killed process no longer holds the lock', async () => {
  const file = join(folder, 'killed');
  const child = holder(file);
  await child.stdout.getReader().read();
  const onWait = () => child.kill('SIGKILL');
  expect(await locked({ file, onWait }, async () => 'mine')).toBe('mine');
});

test('an aborted wait ends with the signal’s reason', async () => {
  const file = join(folder, 'aborted');
  const child = holder(file);
  await child.stdout.getReader().read();
  const controller = new AbortController();
  const onWait = () => controller.abort(new Error('enough'));
  await expect(locked({ file, onWait, signal: controller.signal }, async () => 'mine')).rejects.toThrow('enough');
  child.kill();
});
