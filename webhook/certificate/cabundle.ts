import { type Api, isNotFound } from '../../controller/runtime/client/api.ts';
import type { KubeObject, Resource } from '../../controller/runtime/k8s/object.ts';

/** A ValidatingWebhookConfiguration or MutatingWebhookConfiguration: the parts that are used. */
interface Configuration extends KubeObject {
  webhooks?: Array<{ name: string; clientConfig: { caBundle?: string } }>;
}

const configuration = (kind: string): Resource<Configuration> => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: `${kind.toLowerCase()}s`,
  kind,
  namespaced: false,
});

const kinds = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'].map(configuration);

export interface BundleParts {
  api: Pick<Api, 'get' | 'patch'>;
  /** Names of configurations, of both kinds. */
  names: readonly string[];
  signal: AbortSignal;
}

/** The authorities that a webhook's caBundle should name, as PEM text, given what it names so far. */
export type BundleAfter = (before: string) => string;

/**
 * Tells the API server by which authorities our certificate is signed: writes the bundle into every webhook of the
 * configurations in which it differs. Returns the configurations that are not there.
 */
export async function publishBundle(after: BundleAfter, { api, names, signal }: BundleParts): Promise<string[]> {
  const places = kinds.flatMap((kind) => names.map((name) => ({ kind, name })));
  const missing = await Promise.all(
    places.map(async ({ kind, name }) => {
      const found = await api.get(kind, { name }, { signal }).catch(absentAsUndefined);
      const body = found ? changes(found, after) : [];
      if (body.length > 0) await api.patch(kind, { name }, { type: 'json', body }, { signal });
      return found ? [] : [`${kind.kind} ${name}`];
    }),
  );
  return missing.flat();
}

/** Each change is bound to the webhook's name, for the list may have changed since it was read. */
const changes = ({ webhooks = [] }: Configuration, after: BundleAfter) =>
  webhooks.flatMap(({ name, clientConfig: { caBundle = '' } }, index) => {
    const desired = Buffer.from(after(Buffer.from(caBundle, 'base64').toString())).toString('base64');
    if (caBundle === desired) return [];
    return [
      { op: 'test', path: `/webhooks/${index}/name`, value: name },
      { op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value: desired },
    ];
  });

function absentAsUndefined(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
