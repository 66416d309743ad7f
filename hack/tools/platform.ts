/** A platform as Go and the Kubernetes projects name it. */
export interface Platform {
  os: string;
  arch: string;
}

const ARCHES: Record<string, string> = { x64: 'amd64', arm64: 'arm64', ppc64: 'ppc64le', s390x: 's390x' };

/** From the words of `process.platform` and `process.arch`. Linux on amd64 is the one that is tried. */
export const platformOf = (os: string, arch: string): Platform => ({ os, arch: ARCHES[arch] ?? arch });

/** The architecture of this machine, as the Kubernetes projects and container images name it. */
export const ownArch = (): string => platformOf(process.platform, process.arch).arch;
