import { afterAll, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const place = mkdtempSync(join(tmpdir(), 'debian-'));
const folder = join(place, 'libraries');
afterAll(() => rmSync(place, { recursive: true }));

/** Puts a program of that name before all others. */
function stand(name: string, script: string): void {
  writeFileSync(join(place, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(place, name), 0o755);
}

/** Fetches the library in a process for which those programs stand in; returns what it printed. */
async function fetched(): Promise<string> {
  const script = `
    const { fetchLibraries } = await import(${JSON.stringify(join(import.meta.dir, 'libraries.ts'))});
    const said = await fetchLibraries('arm64', ${JSON.stringify(folder)}).catch(({ message, cause }) => message + '\\n' + cause.message);
    console.log(said);`;
  const child = Bun.spawn([process.execPath, '-e', script], {
    env: { ...process.env, PATH: `${place}:${process.env['PATH']}` },
    stdout: 'pipe',
  });
  return (await child.stdout.text()).trim();
}

const NOTES = join(place, 'notes');
stand('dpkg-deb', `mkdir -p "$3/lib" && echo "$2" >"$3/lib/libc.so.6"`);

test('apt is told of lists, caches and a state of its own, and its package is unpacked', async () => {
  stand('apt-get', `echo "$@" >>${NOTES}; case "$*" in *download*) : >libc6_2_arm64.deb;; esac`);
  expect(await fetched()).toBe(join(folder, 'root'));
  expect(await Bun.file(join(folder, 'root/lib/libc.so.6')).text()).toBe(`${join(folder, 'libc6_2_arm64.deb')}\n`);
  const calls = (await Bun.file(NOTES).text()).trim().split('\n');
  expect(calls.map((call) => call.split(' ').slice(-2).join(' '))).toEqual([
    expect.stringMatching(/ update$/),
    'download libc6',
  ]);
  for (const call of calls) {
    expect(call).toContain('APT::Architecture=arm64');
    for (const option of ['Dir::State', 'Dir::State::lists', 'Dir::Cache'])
      expect(call).toContain(`${option}=${folder}/`);
  }
  expect(existsSync(join(folder, 'apt'))).toBe(false);
});

test('what apt complains about is told, and what to do', async () => {
  stand('apt-get', 'echo "E: no such mirror" >&2; exit 100');
  expect(await fetched()).toBe(
    'the C library for arm64 could not be fetched by apt-get, which Debian and Ubuntu have; elsewhere build the image on a machine of that architecture, or use ./hack/image --docker\nE: no such mirror',
  );
});
