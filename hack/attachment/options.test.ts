import { expect, test } from 'bun:test';
import { help, ownKubeconfig, readOptions } from './options.ts';

const plain = { namespace: 'drover-system', flags: [] as string[] };

test.each([
  [[], { do: 'attach', options: plain }],
  [['-n', 'garden'], { do: 'attach', options: { ...plain, namespace: 'garden' } }],
  [
    ['--deployment=machine-controller-manager', '--kubeconfig', 'a', '--target-kubeconfig', 'b'],
    {
      do: 'attach',
      options: { ...plain, deployment: 'machine-controller-manager', kubeconfig: 'a', targetKubeconfig: 'b' },
    },
  ],
  [
    ['--', '--log-level=debug', '--help'],
    { do: 'attach', options: { ...plain, flags: ['--log-level=debug', '--help'] } },
  ],
  [['--restore', '-n', 'garden'], { do: 'restore', options: { ...plain, namespace: 'garden' } }],
  [['--help', '--nonsense'], { do: 'help' }],
])('./hack/attach %p', (words, asked) => {
  expect(readOptions(words) as object).toEqual(asked);
});

test.each([
  [['--log-level=debug'], 'has no flag --log-level; flags of the controller go behind --'],
  [['--deployment'], 'needs a value with --deployment'],
  [['now'], 'takes flags only, not "now"'],
  [['--restore', '--', '--port=1'], 'starts no controller with --restore'],
])('./hack/attach %p is refused: it %s', (words, why) => {
  expect(readOptions(words)).toEqual({ do: 'refuse', why: `./hack/attach ${why}; see ./hack/attach --help` });
});

test('every line of the help fits a terminal', () => {
  for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
});

test.each([
  ['/given', { KUBECONFIG: '/a' }, '/given'],
  [undefined, { KUBECONFIG: '/a', HOME: '/home/me' }, '/a'],
  [undefined, { KUBECONFIG: '', HOME: '/home/me' }, '/home/me/.kube/config'],
])('the kubeconfig with %p and %p is %s', (given, env, path) => {
  expect(ownKubeconfig(given, env)).toBe(path);
});

test('of several kubeconfigs one has to be chosen', () => {
  expect(() => ownKubeconfig(undefined, { KUBECONFIG: '/a:/b' })).toThrow('give one by --kubeconfig');
});
