import { mkdtemp, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyAddress } from '../../controller/runtime/observability/server.ts';
import { type Built, buildImage } from '../../hack/imagebuild/build.ts';
import { arches } from '../../hack/imagebuild/facts.ts';
import { type KindCluster, loadImage, startCluster, stopCluster } from '../../hack/kind/cluster.ts';
import type { IpFamily } from '../../hack/kind/config.ts';
import { BUSYBOX_IMAGE } from '../../hack/kind/offline/recipe.ts';
import { findTools } from '../../hack/tools/find.ts';
import { ownArch } from '../../hack/tools/platform.ts';
import { installCertManager, PROGRAMS } from './certmanager.ts';
import type { E2eOptions } from './options.ts';
import { prepare } from './prepare.ts';
import type { Run } from './run.ts';
import type { Surroundings } from './scene.ts';
import type { Programs } from './terminal.ts';

const ROOT = join(import.meta.dir, '../..');
/** What the image of the working tree is called in a cluster that is made for it. */
const REFERENCE = 'drover:e2e';

/** A cluster on which cases can run; it goes when it is disposed of, unless it is kept or the user's. */
export interface Opened extends AsyncDisposable {
  programs: Programs;
  surroundings: Surroundings;
  /** How to come back to a cluster that is kept; empty when it is not. */
  way: string;
}

/** Opens the user's cluster, or makes one and loads the image into it. Throws a sentence when that is not possible. */
export async function openCluster(options: E2eOptions): Promise<Opened> {
  await using ends = new AsyncDisposableStack();
  const scratch = await mkdtemp(join(tmpdir(), 'drover-e2e-'));
  ends.defer(() => rm(scratch, { recursive: true, force: true }));
  const { helm, kubectl } = await findTools(['helm', 'kubectl']);
  const made = options.kubeconfig === undefined ? await makeCluster(options, { scratch, ends }) : undefined;
  const kubeconfig = made?.cluster.kubeconfig ?? options.kubeconfig ?? '';
  const drover = options.image ?? made?.image ?? REFERENCE;
  const kept = ends.move();
  return {
    programs: { helm, kubectl, kubeconfig, scratch },
    surroundings: {
      images: { drover, busybox: BUSYBOX_IMAGE },
      chart: join(ROOT, 'charts/drover'),
      root: ROOT,
      ownCluster: made !== undefined,
      certManager: made?.certManager,
    },
    way: made && options.keep ? wayBack(made.cluster, drover) : '',
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

interface Made {
  cluster: KindCluster;
  /** The image that was loaded; undefined when the nodes are to pull one. */
  image: string | undefined;
  /** Settles once cert-manager is installed; undefined when nobody wants it. */
  certManager: Promise<void> | undefined;
}

/** Where a cluster's things are put, and what is to be done in the end. */
interface Keeping {
  scratch: string;
  ends: AsyncDisposableStack;
}

async function makeCluster({ keep, image, certManager }: E2eOptions, { scratch, ends }: Keeping): Promise<Made> {
  const building = image === undefined ? buildImageHere(scratch) : undefined;
  // A failed build is told of once the cluster is there.
  building?.catch(() => undefined);
  // Building takes all of the machine for minutes: nothing that has a time limit goes on meanwhile.
  if (certManager) await findTools(PROGRAMS);
  const cluster = await startCluster({ keep, ipFamily: familiesHere() });
  if (!keep) ends.defer(() => stopCluster(cluster));
  const built = await building;
  if (built) await loadImage(cluster, built.archive);
  const installing = certManager ? installCertManager(cluster) : undefined;
  // The case that needs it tells of a failure.
  installing?.catch(() => undefined);
  return { cluster, image: built?.reference, certManager: installing };
}

/** Both, where containers of this machine can have both. */
const familiesHere = (): IpFamily =>
  process.platform === 'linux' && everyAddress(networkInterfaces()) === '::' ? 'dual' : 'ipv4';

async function buildImageHere(folder: string): Promise<Built> {
  const arch = arches.find((one) => one === ownArch());
  if (arch) return buildImage({ arch, reference: REFERENCE, folder });
  throw new Error(`no image can be built for ${ownArch()}, only for ${arches.join(' and ')}; give one with --image`);
}

const wayBack = ({ name, kubeconfig, kind }: KindCluster, image: string): string =>
  [
    `The cluster stays. To use it: export KUBECONFIG=${kubeconfig}`,
    `To run a case on it again: E2E_KUBECONFIG=${kubeconfig} ./hack/e2e --image ${image} --case …`,
    `To remove it: ${kind} delete cluster --name ${name}`,
  ].join('\n');

/** A run on an opened cluster. */
export const runOn = (
  { programs, surroundings }: Opened,
  given: Pick<Run, 'seed' | 'keep' | 'signal' | 'report'>,
): Run => ({ programs, surroundings, prepare, ...given });
