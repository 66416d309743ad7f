import { expect, test } from 'bun:test';
import { type ClusterSources, clusterSources } from './kubeconfig.ts';

const pod = { from: 'pod' } as const;
const file = (path: string) => ({ from: 'file', path }) as const;

test.each<[string, string, ClusterSources]>([
  ['', '', { control: pod, target: 'control' }],
  ['a', '', { control: file('a'), target: 'control' }],
  ['', 'b', { control: file('b'), target: 'control' }],
  ['a', 'b', { control: file('a'), target: file('b') }],
  ['a', 'a', { control: file('a'), target: 'control' }],
  ['a', 'none', { control: file('a'), target: 'none' }],
  ['inClusterConfig', '', { control: pod, target: 'control' }],
  ['inClusterConfig', 'b', { control: pod, target: file('b') }],
  ['inClusterConfig', 'none', { control: pod, target: 'none' }],
  ['a', 'inClusterConfig', { control: file('a'), target: pod }],
])('control %p and target %p', (controlKubeconfig, targetKubeconfig, sources) => {
  expect(clusterSources({ controlKubeconfig, targetKubeconfig })).toEqual(sources);
});
