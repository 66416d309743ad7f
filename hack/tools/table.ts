import { type Asset, assetInIndex, checksum, hexFor } from './checksum.ts';
import type { Platform } from './platform.ts';

/** Where a tool's official download is found. */
export interface Download {
  /** What carries the checksum: a list, an index, or a file of its own. */
  checksums: string;
  /** What is said there of the download; undefined when it is not there. */
  asset(checksums: string): Asset | undefined;
  /** Whether the asset is an archive that holds the programs somewhere, rather than the program itself. */
  archive: boolean;
}

/** How a tool is built where its download cannot be had. */
export interface Build {
  /** Folder of the go.mod and go.sum, below this one. */
  module: string;
  /** The main package. */
  main: string;
  /** Variables set at link time, by their full name. */
  variables?: Record<string, string>;
}

/** One way to get one or more programs of one version. Cached as `<name>/<version>/<program>`. */
export interface Tool {
  name: string;
  version: string;
  programs: readonly string[];
  /** Undefined for a platform for which nothing is published. */
  download?(platform: Platform): Download | undefined;
  build?: Build;
}

/** The Kubernetes versions that `--k8s` takes, and the etcd that goes with each. */
export const kubernetesVersions: Readonly<Record<string, { etcd: string }>> = {
  '1.36.2': { etcd: '3.6.8' },
  '1.35.4': { etcd: '3.6.8' },
};

/** The version that runs when none is asked for. */
export const defaultKubernetes = '1.36.2';

/** The sentence for a version that the table does not have. */
export const noSuchKubernetes = (version: string): string =>
  `there is no Kubernetes ${version} in hack/tools/table.ts; there are ${Object.keys(kubernetesVersions).join(' and ')}`;

/** The ways to every program that goes with a Kubernetes version; of several ways to one program the first is tried first. */
export function toolsOf(kubernetes: string = defaultKubernetes): Tool[] {
  const versions = kubernetesVersions[kubernetes];
  if (!versions) throw new Error(noSuchKubernetes(kubernetes));
  return [
    envtest(kubernetes),
    etcd(versions.etcd),
    ...kubernetesPrograms.map((name) => ofKubernetes(name, kubernetes)),
    coredns,
    helm,
    kind,
    ...certManager,
  ];
}

/** The programs of Kubernetes itself: an API server of one's own needs the first two, a Node of kind all. */
const kubernetesPrograms = [
  'kube-apiserver',
  'kubectl',
  'kube-controller-manager',
  'kube-scheduler',
  'kube-proxy',
  'kubeadm',
  'kubelet',
];

/** The bundle that controller-tools publishes for tests, for Linux and macOS. */
function envtest(version: string): Tool {
  return {
    name: 'envtest',
    version,
    programs: ['etcd', 'kube-apiserver', 'kubectl'],
    download: ({ os, arch }) => ({
      checksums: 'https://raw.githubusercontent.com/kubernetes-sigs/controller-tools/HEAD/envtest-releases.yaml',
      asset: (index) =>
        assetInIndex(index, { release: `v${version}`, file: `envtest-v${version}-${os}-${arch}.tar.gz` }),
      archive: true,
    }),
  };
}

function etcd(version: string): Tool {
  return {
    name: 'etcd',
    version,
    programs: ['etcd'],
    download({ os, arch }) {
      const release = `https://github.com/etcd-io/etcd/releases/download/v${version}`;
      const file = `etcd-v${version}-${os}-${arch}.${os === 'linux' ? 'tar.gz' : 'zip'}`;
      return {
        checksums: `${release}/SHA256SUMS`,
        asset: (list) => assetAt(`${release}/${file}`, checksum('sha256', hexFor(file, list))),
        archive: true,
      };
    },
    build: { module: `etcd-${version}`, main: 'go.etcd.io/etcd/server/v3' },
  };
}

/** Names of services, in the clusters that kind makes where no image can be pulled; its own archive has no other use here. */
const coredns: Tool = {
  name: 'coredns',
  version: '1.14.2',
  programs: ['coredns'],
  build: { module: 'coredns-1.14.2', main: 'github.com/coredns/coredns' },
};

const HELM = '4.3.1';

const helm: Tool = {
  name: 'helm',
  version: HELM,
  programs: ['helm'],
  download({ os, arch }) {
    const url = `https://get.helm.sh/helm-v${HELM}-${os}-${arch}.tar.gz`;
    const asset = (hex: string) => assetAt(url, checksum('sha256', hex.split(/\s/)[0]));
    return { checksums: `${url}.sha256sum`, asset, archive: true };
  },
  build: {
    module: `helm-${HELM}`,
    main: 'helm.sh/helm/v4/cmd/helm',
    variables: { 'helm.sh/helm/v4/internal/version.version': `v${HELM}` },
  },
};

const KIND = '0.33.0';

const kind: Tool = {
  name: 'kind',
  version: KIND,
  programs: ['kind'],
  download({ os, arch }) {
    const url = `https://github.com/kubernetes-sigs/kind/releases/download/v${KIND}/kind-${os}-${arch}`;
    const asset = (hex: string) => assetAt(url, checksum('sha256', hex.split(/\s/)[0]));
    return { checksums: `${url}.sha256sum`, asset, archive: false };
  },
  build: { module: `kind-${KIND}`, main: 'sigs.k8s.io/kind' },
};

/** The last version whose programs are in a Go module that has tags; those of later ones cannot be got by their version. */
const CERT_MANAGER = '1.11.5';

/** What issues certificates, for clusters that kind makes; it is published as images only. */
const certManager: readonly Tool[] = ['controller', 'webhook', 'cainjector'].map((part) => ({
  name: `cert-manager-${part}`,
  version: CERT_MANAGER,
  programs: [`cert-manager-${part}`],
  build: {
    module: `cert-manager-${CERT_MANAGER}`,
    main: `github.com/cert-manager/cert-manager/cmd/${part}`,
    variables: { 'github.com/cert-manager/cert-manager/pkg/util.AppVersion': `v${CERT_MANAGER}` },
  },
}));

/** A program of Kubernetes itself. Only kubectl is published for anything but Linux. */
function ofKubernetes(name: string, version: string): Tool {
  return {
    name,
    version,
    programs: [name],
    download({ os, arch }) {
      if (os !== 'linux' && name !== 'kubectl') return undefined;
      const url = `https://dl.k8s.io/release/v${version}/bin/${os}/${arch}/${name}`;
      const asset = (hex: string) => assetAt(url, checksum('sha512', hex));
      return { checksums: `${url}.sha512`, asset, archive: false };
    },
    build: {
      module: `kubernetes-${version}`,
      main: `k8s.io/kubernetes/cmd/${name}`,
      variables: kubernetesVariables(version),
    },
  };
}

/** Kubernetes reads its own version from these; without them it is v0.0.0, which clients and servers refuse to serve. */
function kubernetesVariables(version: string): Record<string, string> {
  const [major = '', minor = ''] = version.split('.');
  const values = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  const packages = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  return Object.fromEntries(
    packages.flatMap((path) => Object.entries(values).map(([variable, value]) => [`${path}.${variable}`, value])),
  );
}

const assetAt = (url: string, sum: Omit<Asset, 'url'> | undefined): Asset | undefined => sum && { ...sum, url };
