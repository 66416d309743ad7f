import type { Connection } from '../../controller/runtime/client/api.ts';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { call } from '../controlplane/call.ts';
import { applyManifests, readFolder } from '../controlplane/manifests.ts';
import { HOST } from '../controlplane/ports.ts';
import { until } from '../lib/until.ts';
import { manifests } from './place.ts';

/** The part of a webhook configuration that differs between a cluster and this machine. */
export interface Registration extends KubeObject {
  webhooks: Array<{ clientConfig: { service?: { path: string }; url?: string; caBundle?: string } }>;
}

const TRUST_MS = 15_000;

/** Tells the API server to ask the webhook on a port of this machine. The webhook adds its CA bundle itself. */
export async function registerWebhook(admin: Connection, port: number): Promise<void> {
  const registrations = await readRegistrations();
  await applyManifests(
    admin,
    registrations.map((registration) => atPort(registration, port)),
  );
}

/** The registration with the chart's Service replaced by a port of this machine. */
export const atPort = (registration: Registration, port: number): Registration => ({
  ...registration,
  webhooks: registration.webhooks.map((webhook) => ({
    ...webhook,
    clientConfig: { url: `https://${HOST}:${port}${webhook.clientConfig.service?.path}` },
  })),
});

/** Waits until the webhook has told the API server whom to trust. */
export async function untilTrusted(admin: Connection, signal: AbortSignal): Promise<void> {
  for (const { kind, metadata } of await readRegistrations()) {
    const path = `/apis/admissionregistration.k8s.io/v1/${kind?.toLowerCase()}s/${metadata.name}`;
    const trusted = async (): Promise<boolean> => {
      const { webhooks } = (await call(admin, { path })) as Registration;
      return webhooks.every(({ clientConfig }) => clientConfig.caBundle);
    };
    const what = `the webhook to put its CA bundle into ${kind} ${metadata.name}`;
    await until(what, trusted, { timeoutMs: TRUST_MS, signal });
  }
}

const readRegistrations = (): Promise<Registration[]> => readFolder(manifests.webhook) as Promise<Registration[]>;
