import { expect, test } from 'bun:test';
import { readOptions, unknownCases } from './options.ts';

const read = (words: string[], env: Record<string, string> = {}) => readOptions(words, env, 5);

test('without words all cases run, in a drawn order', () => {
  expect(read([])).toEqual({ do: 'run', options: { cases: [], seed: 5, keep: false, certManager: false } });
});

test('words choose cases, their order, and what stays', () => {
  const words = [
    '--case',
    'install',
    '--case=upgrade',
    '--seed',
    '7',
    '--keep',
    '--with-cert-manager',
    '--image=here/drover:1',
  ];
  expect(read(words, { E2E_KUBECONFIG: 'mine' })).toEqual({
    do: 'run',
    options: {
      cases: ['install', 'upgrade'],
      seed: 7,
      keep: true,
      certManager: true,
      image: 'here/drover:1',
      kubeconfig: 'mine',
    },
  });
});

test.each([
  [['--list'], { do: 'list' }],
  [['--bogus', '--help'], { do: 'help' }],
])('%p', (words, asked) => {
  expect<unknown>(read(words)).toEqual(asked);
});

test.each([
  [['install'], 'takes flags only, not "install"'],
  [['--bogus'], 'has no flag --bogus'],
  [['--keep=yes'], 'takes no value with --keep'],
  [['--case'], 'needs a value with --case'],
  [['--seed', 'x'], 'takes a whole number below 2147483648 with --seed, not "x"'],
])('%p is refused', (words, says) => {
  expect(read(words)).toEqual({ do: 'refuse', why: `./hack/e2e ${says}; see ./hack/e2e --help` });
});

test('a cluster of the user needs an image that it can have', () => {
  expect(read([], { E2E_KUBECONFIG: 'mine' })).toMatchObject({ do: 'refuse' });
});

test('a case that does not exist is refused with the list', () => {
  expect(unknownCases(['install'], ['install', 'upgrade'])).toBeUndefined();
  expect(unknownCases(['x'], ['install', 'upgrade'])).toBe('there is no case "x"; the cases are install, upgrade');
});
