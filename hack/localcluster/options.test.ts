import { expect, test } from 'bun:test';
import { readOptions } from './options.ts';

test.each([
  [[], { upTo: 'herd' }],
  [['--replicas', '5'], { upTo: 'herd', replicas: 5 }],
  [['--replicas=0', '--k8s=1.35.4'], { upTo: 'herd', replicas: 0, kubernetes: '1.35.4' }],
  [['--k8s', 'v1.36.2'], { upTo: 'herd', kubernetes: '1.36.2' }],
  [['--no-herd'], { upTo: 'programs' }],
  [['--control-plane-only', '--no-herd'], { upTo: 'control plane' }],
])('%j is understood', (words, options) => {
  expect(readOptions(words)).toEqual({ do: 'up', options } as ReturnType<typeof readOptions>);
});

test.each([
  [['--replica', '5'], './hack/up has no flag --replica; see ./hack/up --help'],
  [['-r5'], './hack/up has no flag -r; see ./hack/up --help'],
  [['5'], './hack/up takes flags only, not "5"; see ./hack/up --help'],
  [['--replicas'], './hack/up needs a value with --replicas; see ./hack/up --help'],
  [['--replicas='], './hack/up needs a value with --replicas; see ./hack/up --help'],
  [
    ['--replicas', 'many'],
    './hack/up takes a whole number from 0 to 10000 with --replicas, not "many"; see ./hack/up --help',
  ],
  [['--replicas=-1'], './hack/up takes a whole number from 0 to 10000 with --replicas, not "-1"; see ./hack/up --help'],
  [['--no-herd=yes'], './hack/up takes no value with --no-herd; see ./hack/up --help'],
  [['--no-herd', '--replicas=3'], './hack/up makes no herd then: leave --replicas out; see ./hack/up --help'],
  [['--k8s', '1.2'], 'there is no Kubernetes 1.2 in hack/tools/table.ts; there are 1.36.2 and 1.35.4'],
])('%j is refused with a sentence', (words, why) => {
  expect(readOptions(words)).toEqual({ do: 'refuse', why });
});

test.each([[['--help']], [['-h']], [['--replicas=x', '--help']]])('%j asks for help', (words) => {
  expect(readOptions(words)).toEqual({ do: 'help' });
});
