import { expect, test } from 'bun:test';
import packageFile from '../../package.json';
import { help, readOptions } from './options.ts';

const { version } = packageFile;
const plain = { do: 'build', by: 'parts', arches: ['amd64'], reference: `drover:${version}` };

test.each([
  [[], plain],
  [['--arch', 'arm64'], { ...plain, arches: ['arm64'] }],
  [['--arch=arm64,amd64'], { ...plain, arches: ['amd64', 'arm64'] }],
  [['--tag', 'drover:dev'], { ...plain, reference: 'drover:dev' }],
  [['--tag', 'registry:5000/drover'], { ...plain, reference: `registry:5000/drover:${version}` }],
  [['--out', '/some/where'], { ...plain, folder: '/some/where' }],
  [['--docker'], { ...plain, by: 'docker' }],
  [['-h'], { do: 'help' }],
])('./hack/image %p', (words, asked) => {
  expect(readOptions(words, 'amd64') as object).toEqual(asked);
});

test.each([
  [['--arch=riscv64'], 'builds for amd64 and arm64, not for riscv64'],
  [['--arch', 'amd64,'], 'builds for amd64 and arm64, not for amd64,'],
  [['--tag', 'Drover'], `takes a name such as drover:${version} with --tag, not "Drover"`],
  [['--tag'], 'needs a value with --tag'],
  [['--push'], 'has no flag --push'],
  [['now'], 'takes flags only, not "now"'],
  [['--docker', '--out=x'], 'leaves the image with docker: leave --out out'],
  [['--docker', '--arch=amd64,arm64'], 'builds one architecture at a time with --docker'],
])('./hack/image %p is refused: it %s', (words, why) => {
  expect(readOptions(words, 'amd64')).toEqual({ do: 'refuse', why: `./hack/image ${why}; see ./hack/image --help` });
});

test('a machine of another kind has to say for which one', () => {
  expect(readOptions([], 's390x')).toMatchObject({ do: 'refuse' });
});

test('every line of the help fits a terminal', () => {
  for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
});
