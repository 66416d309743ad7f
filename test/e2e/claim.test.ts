import { expect, test } from 'bun:test';
import { ourKinds } from './claim.ts';

test('kinds of machines and clusters are told from all others', () => {
  const names = ['machines.machine.sapcloud.io', 'clusters.drover.dev', 'machines.cluster.x-k8s.io'];
  const printed = names.map((name) => `customresourcedefinition.apiextensions.k8s.io/${name}\n`).join('');
  expect(ourKinds(printed)).toEqual(['machines.machine.sapcloud.io', 'clusters.drover.dev']);
  expect(ourKinds('')).toEqual([]);
});
