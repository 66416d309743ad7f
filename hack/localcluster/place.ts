import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** The top folder of the project. */
export const PROJECT = join(import.meta.dir, '../..');

/** Where `./hack/up` keeps all that it needs from one call to the next; ignored by git. Tests have folders of their own. */
const STATE = process.env['DROVER_STATE'] || join(PROJECT, '.drover');

/** Files and folders of what `./hack/up` starts. */
export const place = {
  state: STATE,
  /** Held while a call changes anything. */
  lock: join(STATE, 'lock'),
  /** Data, certificates and ports of the control plane. */
  controlPlane: join(STATE, 'control-plane'),
  /** Says which Kubernetes version wrote the data. */
  version: join(STATE, 'control-plane/kubernetes'),
  /** Ports of webhook and controller. */
  ports: join(STATE, 'ports.json'),
  /** The administrator's kubeconfig, for the user. */
  kubeconfig: join(STATE, 'kubeconfig'),
  /** Programs for the user: kubectl. */
  bin: join(STATE, 'bin'),
  /** Pid files and logs of every process. */
  folders: { run: join(STATE, 'run'), log: join(STATE, 'log') },
};

/** What is generated for the chart serves here as well. */
export const manifests = {
  crds: join(PROJECT, 'charts/drover/files/crds'),
  rbac: join(PROJECT, 'charts/drover/files/rbac'),
  webhook: join(PROJECT, 'charts/drover/files/webhook'),
  policies: join(PROJECT, 'charts/drover/files/policies'),
  herd: join(PROJECT, 'schemas/examples/herd.yaml'),
};

/** Puts programs where the user's shell finds them, in `.drover/bin`. @param programs their paths, by name */
export function linkPrograms(programs: Readonly<Record<string, string>>): void {
  mkdirSync(place.bin, { recursive: true });
  for (const [name, path] of Object.entries(programs)) {
    const link = join(place.bin, name);
    rmSync(link, { force: true });
    symlinkSync(path, link);
  }
}
