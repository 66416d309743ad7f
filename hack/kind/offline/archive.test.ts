import { afterAll, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../tools/run.ts';
import { writeArchive } from './archive.ts';

const folder = mkdtempSync(join(tmpdir(), 'archive-'));
afterAll(() => rmSync(folder, { recursive: true }));

const root = join(folder, 'root');
mkdirSync(join(root, 'bin'), { recursive: true });
writeFileSync(join(root, 'bin/hello'), '#!/bin/sh\n');
chmodSync(join(root, 'bin/hello'), 0o755);
symlinkSync('hello', join(root, 'bin/hi'));

const image = {
  reference: 'example/hello:v1',
  entrypoint: ['/bin/hello'],
  env: { container: 'docker' },
  stopSignal: 'SIGRTMIN+3',
};

const fromArchive = (archive: string, path: string): Promise<string> => run(['tar', '-xOf', archive, path]);

test('an archive holds the image as docker looks for it', async () => {
  const output = join(folder, 'a.tar');
  await writeArchive({ root, image, output });
  const [manifest] = JSON.parse(await fromArchive(output, 'manifest.json'));
  expect(manifest).toMatchObject({ RepoTags: ['example/hello:v1'], Layers: ['layer.tar'] });
  const { config, rootfs } = JSON.parse(await fromArchive(output, manifest.Config));
  expect(config).toEqual({
    Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'container=docker'],
    Entrypoint: ['/bin/hello'],
    WorkingDir: '/',
    StopSignal: 'SIGRTMIN+3',
  });
  await run(['tar', '-xf', output, '-C', folder, 'layer.tar']);
  const layer = join(folder, 'layer.tar');
  const hash = new Bun.CryptoHasher('sha256').update(await Bun.file(layer).bytes()).digest('hex');
  expect(rootfs.diff_ids).toEqual([`sha256:${hash}`]);
  expect((await run(['tar', '-tf', layer])).split('\n')).toEqual(['./', './bin/', './bin/hello', './bin/hi', '']);
});

test('the same files make the same archive', async () => {
  const [one, other] = [join(folder, 'one.tar'), join(folder, 'other.tar')];
  await writeArchive({ root, image, output: one });
  await writeArchive({ root, image, output: other });
  expect(Buffer.from(await Bun.file(one).bytes()).equals(await Bun.file(other).bytes())).toBe(true);
});
