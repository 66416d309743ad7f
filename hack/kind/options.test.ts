import { expect, test } from 'bun:test';
import { readOptions } from './options.ts';

const usual = { name: 'drover', workers: 2, ipFamily: 'ipv4' } as const;

test.each([
  ['up', { do: 'up', ...usual }],
  ['up --name web --workers 0', { do: 'up', ...usual, name: 'web', workers: 0 }],
  ['up --ip-family=dual --k8s v1.35.4', { do: 'up', ...usual, ipFamily: 'dual', kubernetes: '1.35.4' }],
  ['down', { do: 'down', name: 'drover' }],
  ['down --name web', { do: 'down', name: 'web' }],
  ['load a.tar b.tar --name web', { do: 'load', name: 'web', archives: ['a.tar', 'b.tar'] }],
  ['up --help', { do: 'help' }],
  ['-h', { do: 'help' }],
] as const)('"%s" asks for %j', (words, expected) => {
  expect(readOptions(words.split(' '))).toEqual(expected as ReturnType<typeof readOptions>);
});

test.each([
  ['', 'needs one of up, down and load'],
  ['stop', 'knows no "stop"'],
  ['up now', 'up takes flags only, not "now"'],
  ['down --workers 3', 'down takes no --workers'],
  ['load', 'load needs an archive'],
  ['up --workers many', 'takes a whole number from 0 to 20 with --workers, not "many"'],
  ['up --workers 21', 'takes a whole number from 0 to 20 with --workers, not "21"'],
  ['up --ip-family ipx', 'takes ipv4, ipv6, dual with --ip-family, not "ipx"'],
  ['up --name My_cluster', 'takes small letters, digits, - and . with --name, not "My_cluster"'],
  ['up --k8s 1.2.3', 'there is no Kubernetes 1.2.3 in hack/tools/table.ts'],
  ['up --fast', "does not understand this: Unknown option '--fast'"],
])('"%s" is refused: %s', (words, why) => {
  const asked = readOptions(words.split(' ').filter(Boolean));
  expect(asked.do === 'refuse' ? asked.why : '').toStartWith(`./hack/cluster ${why}`);
});
