import { ApiError } from '../../controller/runtime/client/api.ts';
import type { Secret } from '../../controller/runtime/k8s/core.ts';
import type { KubeObject, Ref, Resource } from '../../controller/runtime/k8s/object.ts';
import type { SelfParts } from './selfsigned.ts';

interface Webhook {
  name: string;
  clientConfig: { caBundle?: string };
}

/** What the API server answers when it does not do as asked. */
export const refusal = (status: number, reason: string) =>
  new ApiError(reason, { status, reason, mayHaveActed: false });

/** An API server that holds one Secret, empty as the installation makes it, and some webhook configurations, and counts the writes. */
export class Store {
  secret: Secret | undefined = {
    metadata: { namespace: 'drover-system', name: 'drover-webhook-tls', resourceVersion: '0' },
  };
  configurations = new Map<string, { webhooks: Webhook[] }>();
  writes = 0;
  #version = 0;

  readonly api = {
    get: async ({ kind }: Resource, { name }: Ref) => {
      const found = kind === 'Secret' ? this.secret : this.configurations.get(`${kind} ${name}`);
      if (!found) throw refusal(404, 'NotFound');
      return structuredClone(found);
    },
    replace: async (_resource: Resource, object: Secret) => {
      if (object.metadata.resourceVersion !== this.secret?.metadata.resourceVersion) throw refusal(409, 'Conflict');
      return this.#write(object);
    },
    patch: async ({ kind }: Resource, { name }: Ref, { body }: { body: Array<{ path: string; value: string }> }) => {
      this.writes++;
      const { webhooks } = this.configurations.get(`${kind} ${name}`) ?? { webhooks: [] };
      for (const { path, value } of body) {
        const webhook = webhooks[Number(path.split('/')[2])];
        if (webhook && path.endsWith('caBundle')) webhook.clientConfig.caBundle = value;
      }
      return {} as KubeObject;
    },
  } as unknown as SelfParts['api'];

  #write(object: Secret): Secret {
    this.writes++;
    this.secret = { ...object, metadata: { ...object.metadata, resourceVersion: `${++this.#version}` } };
    return this.secret;
  }

  /** Adds both configurations, each with two webhooks, which trust the authorities in a PEM text. */
  register(bundle = ''): void {
    for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']) {
      const clientConfig = bundle ? { caBundle: btoa(bundle) } : {};
      const webhooks = ['a', 'b'].map((name) => ({ name, clientConfig: { ...clientConfig } }));
      this.configurations.set(`${kind} drover`, { webhooks });
    }
  }

  /** Every caBundle, in PEM. */
  bundles(): string[] {
    const webhooks = [...this.configurations.values()].flatMap((configuration) => configuration.webhooks);
    return webhooks.map(({ clientConfig }) => atob(clientConfig.caBundle ?? ''));
  }
}
