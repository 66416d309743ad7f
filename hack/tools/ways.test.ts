import { expect, test } from 'bun:test';
import { kubernetesVersions, toolsOf } from './table.ts';
import { waysTo } from './ways.ts';

const linux = { os: 'linux', arch: 'amd64' };
const mac = { os: 'darwin', arch: 'arm64' };
const minutes = 'from its Go module (takes minutes the first time)';

test.each([
  [
    'kube-apiserver',
    linux,
    ['downloading envtest 1.36.2', 'downloading kube-apiserver 1.36.2', `building kube-apiserver 1.36.2 ${minutes}`],
  ],
  ['kube-apiserver', mac, ['downloading envtest 1.36.2', `building kube-apiserver 1.36.2 ${minutes}`]],
  ['etcd', linux, ['downloading envtest 1.36.2', 'downloading etcd 3.6.8', `building etcd 3.6.8 ${minutes}`]],
  ['kube-scheduler', mac, [`building kube-scheduler 1.36.2 ${minutes}`]],
  ['sl', linux, []],
] as const)('%s on %o: every download is tried before any build', (program, platform, says) => {
  expect(waysTo(program, toolsOf(), platform).map((way) => way.description)).toEqual([...says]);
});

test.each(Object.keys(kubernetesVersions))(
  'every build for Kubernetes %s has a module that pins its version',
  async (kubernetes) => {
    for (const { build, version } of toolsOf(kubernetes)) {
      if (!build) continue;
      const module = await Bun.file(`${import.meta.dir}/${build.module}/go.mod`).text();
      const [path = ''] = build.main.split('/cmd/');
      expect(module).toMatch(new RegExp(`${path} v${version}\\b`));
      expect(module).toMatch(new RegExp(`^(?:tool |\\t)${build.main}$`, 'm'));
    }
  },
);

test('a Kubernetes version that the table does not have is refused with those that it has', () => {
  expect(() => toolsOf('1.2.3')).toThrow(
    'there is no Kubernetes 1.2.3 in hack/tools/table.ts; there are 1.36.2 and 1.35.4',
  );
});
