import { expect, test } from 'bun:test';
import { platformOf } from './platform.ts';
import { toolsOf } from './table.ts';

const SHA256 = 'ab'.repeat(32);
const SHA512 = 'CD'.repeat(64);

const download = (name: string, os = 'linux', arch = 'x64') =>
  toolsOf()
    .find((tool) => tool.name === name)
    ?.download?.(platformOf(os, arch));

test('the bundle’s address and SHA-512 come from the release index', () => {
  const url = 'https://example.org/envtest.tar.gz';
  const index = `releases:\n  v1.36.2:\n    envtest-v1.36.2-linux-amd64.tar.gz:\n      hash: ${SHA512}\n      selfLink: ${url}\n`;
  expect(download('envtest')?.asset(index)).toEqual({ algorithm: 'sha512', hex: SHA512.toLowerCase(), url });
  expect(download('envtest', 'darwin', 'arm64')?.asset(index)).toBeUndefined();
});

test.each([
  ['linux', 'x64', 'etcd-v3.6.8-linux-amd64.tar.gz'],
  ['linux', 'arm64', 'etcd-v3.6.8-linux-arm64.tar.gz'],
  ['darwin', 'arm64', 'etcd-v3.6.8-darwin-arm64.zip'],
])('etcd on %s %s is %s', (os, arch, file) => {
  const list = `${'0'.repeat(64)}  another\n${SHA256}  ${file}\n`;
  const url = `https://github.com/etcd-io/etcd/releases/download/v3.6.8/${file}`;
  expect(download('etcd', os, arch)?.asset(list)).toEqual({ algorithm: 'sha256', hex: SHA256, url });
});

test('a program of Kubernetes has its SHA-512 in a file of its own', () => {
  const source = download('kubectl', 'darwin');
  const url = 'https://dl.k8s.io/release/v1.36.2/bin/darwin/amd64/kubectl';
  expect(source?.checksums).toBe(`${url}.sha512`);
  expect(source?.asset(`${SHA512}\n`)).toEqual({ algorithm: 'sha512', hex: SHA512.toLowerCase(), url });
});

test.each([
  ['helm', 'https://get.helm.sh/helm-v4.3.1-linux-amd64.tar.gz', 'helm-v4.3.1-linux-amd64.tar.gz'],
  ['kind', 'https://github.com/kubernetes-sigs/kind/releases/download/v0.33.0/kind-linux-amd64', 'kind-linux-amd64'],
])('%s has its SHA-256 in a list of its own', (name, url, file) => {
  const source = download(name);
  expect(source?.checksums).toBe(`${url}.sha256sum`);
  expect(source?.asset(`${SHA256}  ${file}\n`)).toEqual({ algorithm: 'sha256', hex: SHA256, url });
});

test.each(['', 'not found', '<html>', SHA256])('what is no SHA-512 (%p) is taken for none', (text) => {
  expect(download('kubectl')?.asset(text)).toBeUndefined();
});
