import { expect, test } from 'bun:test';
import { join } from 'node:path';
import packageFile from '../../package.json';
import { environment, PROGRAM, USER } from './facts.ts';

const text = await Bun.file(join(import.meta.dir, 'Dockerfile')).text();
const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
const final = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));

/** What follows an instruction of the last stage, each time it is there. */
const given = (instruction: string): string[] =>
  final.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1));

test('runs the same program, as the same user, in the same environment', () => {
  expect(given('ENTRYPOINT')).toEqual([JSON.stringify([PROGRAM])]);
  expect(given('USER')).toEqual([`${USER}:${USER}`]);
  expect(given('WORKDIR')).toEqual(['/']);
  expect(given('ENV')).toEqual(Object.entries(environment).map(([name, value]) => `${name}=${value}`));
  expect(given('COPY')).toEqual([`--from=build /drover/out/drover ${PROGRAM}`]);
});

test('is built by the Bun that the project is pinned to', () => {
  const version = packageFile.packageManager.replace('bun@', '');
  expect(lines[0]).toBe(`FROM oven/bun:${version}-debian AS build`);
});

test('every base image has a tag, and the last one has no shell and no root', () => {
  for (const line of lines.filter((one) => one.startsWith('FROM '))) expect(line).toMatch(/^FROM \S+:\S+( AS \w+)?$/);
  expect(final[0]).toMatch(/distroless\/.*:nonroot$/);
});

test('only what is copied is sent to docker', async () => {
  const ignore = await Bun.file(join(import.meta.dir, 'Dockerfile.dockerignore')).text();
  const sent = ignore
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));
  const copied = lines
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
    .flatMap((line) => line.split(' ').slice(1, -1));
  expect(sent).toEqual(copied);
});
