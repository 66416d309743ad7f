import { type Api, isConflict } from '../../controller/runtime/client/api.ts';
import type { KubeObject, Resource } from '../../controller/runtime/k8s/object.ts';

/** A container, as far as its program's settings are read from it. */
export interface Container {
  name: string;
  command?: string[];
  args?: string[];
  env?: Array<{ name: string; value?: string }>;
  volumeMounts?: Array<{ name: string; mountPath: string }>;
}

/** apps/v1 Deployment, as far as it is read or written here. */
export interface Deployment extends KubeObject {
  spec: {
    replicas: number;
    selector: { matchLabels?: Record<string, string> };
    template: {
      spec: {
        serviceAccountName?: string;
        containers: Container[];
        volumes?: Array<{ name: string; secret?: { secretName: string } }>;
      };
    };
  };
}

/** Where Deployments are served. */
export const deployments: Resource<Deployment> = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  namespaced: true,
};

/** What the Deployment is put back to, as JSON: on itself, so that it can be put back by anybody, whatever ended. */
export const ANNOTATION_BEFORE = 'drover.dev/attach-before';

/** Keeps Gardener's dependency-watchdog from scaling the Deployment up again. */
export const ANNOTATION_WATCHDOG = 'dependency-watchdog.gardener.cloud/ignore-scaling';

/** How a Deployment was before. */
interface Before {
  replicas: number;
  /** Which call has taken it away. */
  by: string;
  /** The watchdog's annotation; null when it was not there. */
  watchdog: string | null;
}

const LABELS = 'app.kubernetes.io/name=drover,app.kubernetes.io/component=controller';

/** Finds the Deployment by its name, or by the labels of Drover's controller. Throws a sentence when there is not just one. */
export async function findDeployment(
  api: Api,
  { namespace, deployment: name }: { namespace: string; deployment?: string },
): Promise<Deployment> {
  if (name !== undefined) return api.get(deployments, { namespace, name });
  const { items } = await api.list(deployments, { namespace, labelSelector: LABELS });
  const [only, ...others] = items;
  if (only && others.length === 0) return only;
  const names = items.map(({ metadata }) => metadata.name).join(', ');
  throw new Error(
    only
      ? `namespace ${namespace} has ${items.length} Deployments of Drover's controller; choose one of ${names} by --deployment`
      : `namespace ${namespace} has no Deployment with the labels ${LABELS}; name it by --deployment, and its namespace by -n`,
  );
}

/** What a person calls the Deployment. */
export const titleOf = ({ metadata }: Deployment): string => `Deployment ${metadata.namespace}/${metadata.name}`;

/** Throws a sentence for a Deployment that another call has taken away. */
export function refuseAttached(deployment: Deployment): void {
  if (deployment.metadata.annotations?.[ANNOTATION_BEFORE] === undefined) return;
  throw new Error(
    `${titleOf(deployment)} is attached already: end that ./hack/attach, or if it is no more, run ./hack/attach --restore`,
  );
}

/** Scales to 0 and remembers, in one write, how it was and which call did it; throws if somebody wrote it meanwhile. */
export async function takeAway(api: Api, { metadata, spec }: Deployment, by: string): Promise<void> {
  const watchdog = metadata.annotations?.[ANNOTATION_WATCHDOG] ?? null;
  const before: Before = { replicas: spec.replicas, by, watchdog };
  const annotations = { [ANNOTATION_BEFORE]: JSON.stringify(before), [ANNOTATION_WATCHDOG]: 'true' };
  const body = { metadata: { resourceVersion: metadata.resourceVersion, annotations }, spec: { replicas: 0 } };
  await api.patch(deployments, metadata, { type: 'merge', body });
}

/** What came of putting a Deployment back. */
export type Outcome = 'restored' | 'scaled by somebody else' | 'not attached';

/** How often another's write in between is no reason to give up. */
const TRIES = 5;

/**
 * Puts the Deployment back to how it was; replicas that somebody changed meanwhile stay.
 * @param by only if this call has taken it away; whoever did, when absent
 */
export async function putBack(api: Api, { metadata: at }: Deployment, by?: string): Promise<Outcome> {
  for (let tries = 1; ; tries++) {
    try {
      return await putBackOnce(api, await api.get(deployments, at), by);
    } catch (error) {
      if (!isConflict(error) || tries === TRIES) throw error;
    }
  }
}

async function putBackOnce(api: Api, now: Deployment, by?: string): Promise<Outcome> {
  const { metadata, spec } = now;
  const before = readBefore(now);
  if (!before || (by !== undefined && before.by !== by)) return 'not attached';
  const annotations = { [ANNOTATION_BEFORE]: null, [ANNOTATION_WATCHDOG]: before.watchdog };
  const touched = spec.replicas !== 0;
  const body = {
    metadata: { resourceVersion: metadata.resourceVersion, annotations },
    ...(touched ? {} : { spec: { replicas: before.replicas } }),
  };
  await api.patch(deployments, metadata, { type: 'merge', body });
  return touched ? 'scaled by somebody else' : 'restored';
}

function readBefore(deployment: Deployment): Before | undefined {
  const text = deployment.metadata.annotations?.[ANNOTATION_BEFORE];
  if (text === undefined) return undefined;
  try {
    const { replicas, by = '', watchdog = null } = JSON.parse(text) as Partial<Before>;
    if (Number.isInteger(replicas)) return { replicas: Number(replicas), by, watchdog };
  } catch {
    // Falls through to the sentence.
  }
  throw new Error(
    `${titleOf(deployment)} has the annotation ${ANNOTATION_BEFORE}: ${text}, which says no replicas; scale it by kubectl and remove the annotation`,
  );
}
