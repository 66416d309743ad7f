import { expect, test } from 'bun:test';
import { librariesIn, partsOf } from './parts.ts';
import { BUSYBOX_IMAGE, NETWORK_IMAGE, PROGRAMS, type Programs } from './recipe.ts';

const programs = Object.fromEntries(PROGRAMS.map((name) => [name, `/bin/of/${name}`])) as unknown as Programs;
const kubeadm = [
  ...['registry.k8s.io/kube-proxy:v1.36.2', 'registry.k8s.io/coredns/coredns:v1.14.2', 'registry.k8s.io/pause:3.10.2'],
  ...['registry.k8s.io/etcd:3.6.8-0', ''],
].join('\n');
const ingredients = { programs, pause: '/bin/of/pause', sandbox: 'registry.k8s.io/pause:3.10', kubeadm };

test('there is an image for each that kubeadm names, for the pods themselves, their network and their tests', () => {
  const found = partsOf(ingredients).map(({ reference, entrypoint }) => [reference, entrypoint[0]]);
  expect(found).toEqual([
    ['registry.k8s.io/kube-proxy:v1.36.2', '/usr/local/bin/kube-proxy'],
    ['registry.k8s.io/coredns/coredns:v1.14.2', '/coredns'],
    ['registry.k8s.io/etcd:3.6.8-0', '/usr/local/bin/etcd'],
    ['registry.k8s.io/pause:3.10', '/pause'],
    [NETWORK_IMAGE, '/pod-network'],
    [BUSYBOX_IMAGE, '/bin/sh'],
  ]);
});

test('each holds the program that it starts', () => {
  const [proxy] = partsOf(ingredients);
  expect(proxy?.files).toEqual({ '/usr/local/bin/kube-proxy': '/bin/of/kube-proxy' });
});

test('an image that nobody can make is refused by name', () => {
  const unknown = { ...ingredients, kubeadm: 'registry.k8s.io/kube-novelty:v1\n' };
  expect(() => partsOf(unknown)).toThrow(
    'kubeadm needs the image registry.k8s.io/kube-novelty:v1, and no program kube-novelty is known here',
  );
});

test('the libraries of a program are the paths that ldd prints', () => {
  const printed = `\tlinux-vdso.so.1 (0x00007ffc)
\tlibnftables.so.1 => /lib/x86_64-linux-gnu/libnftables.so.1 (0x00007f30)
\t/lib64/ld-linux-x86-64.so.2 (0x00007f31)
`;
  expect(librariesIn(printed)).toEqual(['/lib/x86_64-linux-gnu/libnftables.so.1', '/lib64/ld-linux-x86-64.so.2']);
  expect(librariesIn('\tnot a dynamic executable\n')).toEqual([]);
});

const manifest = await Bun.file(`${import.meta.dir}/pod-network.yaml`).text();

test('the pod network runs the image that is made for it', () => {
  expect(manifest).toContain(`image: ${NETWORK_IMAGE}\n`);
});

test('kind finds in the pod network what it looks for, and YAML where it patches', () => {
  for (const words of ['template', 'patch']) expect(manifest).toContain(`would you kindly ${words} this file`);
  expect(manifest).toContain('{{ .PodSubnet }}');
  expect(Bun.YAML.parse(manifest)).toHaveLength(4);
});
