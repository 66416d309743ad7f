import * as v from 'valibot';
import { RELEASE } from '../access.ts';
import { providers } from '../providers/index.ts';
import { logLevels, OWN_NAMESPACE } from './controller.ts';
import type { Program } from './program.ts';
import { addressOrAll, list, name, oneOf, port, rate, setting, someOrNone, text, wholeFrom } from './value.ts';

const entries = {
  kubeconfig: setting(
    text('path|inClusterConfig'),
    '',
    'Kubeconfig of the cluster that holds the Machines; empty and inClusterConfig mean the service account of the pod.',
  ),
  namespace: setting(name, OWN_NAMESPACE, 'Namespace in which the webhook itself runs and keeps its certificate.'),
  service: setting(name, `${RELEASE}-webhook`, 'Name of the Service through which the API server calls the webhook.'),
  drivers: setting(
    someOrNone(providers.map(({ name }) => name)),
    '*',
    'The drivers whose machines are checked; * means all, *,-name all but that one, empty none. Give it as the controller has it.',
  ),
  port: setting(port, '9443', 'Port of all endpoints, over TLS; 0 means any free port, which the log names.'),
  address: setting(addressOrAll, '', 'Address on which the port is opened; empty means all, IPv4 and IPv6.'),
  tlsMode: setting(
    oneOf(['self', 'certManager', 'provided']),
    'self',
    'Where the certificate comes from: issued and renewed by the webhook itself, read from a mounted Secret of cert-manager, or read from two files that somebody else keeps fresh. The first two tell the API server of the authority as well.',
  ),
  tlsSecret: setting(
    name,
    `${RELEASE}-webhook-tls`,
    'Name of the Secret in which all replicas keep the certificate, with --tls-mode=self.',
  ),
  tlsFolder: setting(
    text('path'),
    '',
    'Folder with tls.crt, tls.key and ca.crt, as the Secret of a Certificate is mounted, with --tls-mode=certManager.',
  ),
  tlsCertFile: setting(text('path'), '', 'Certificate chain in PEM form, with --tls-mode=provided.'),
  tlsKeyFile: setting(text('path'), '', 'Private key in PEM form, with --tls-mode=provided.'),
  clientCaFile: setting(
    text('path'),
    '',
    'Certificates of authorities in PEM form, read anew each minute: reviews are answered only for clients with a certificate that one of these has signed, as API servers show when they are told so; empty answers everybody.',
  ),
  tlsServerNames: setting(
    list,
    '',
    'DNS names and IP addresses for the certificate that the webhook issues itself, beside those of its Service.',
  ),
  webhookConfiguration: setting(
    list,
    RELEASE,
    'Names of the ValidatingWebhookConfigurations and MutatingWebhookConfigurations whose caBundle is kept up to date.',
  ),
  kubeApiQps: setting(rate, '200', 'Requests per second to the API server that are allowed on average.'),
  kubeApiBurst: setting(wholeFrom(1), '400', 'Requests to the API server that are allowed at once.'),
  logLevel: setting(oneOf(logLevels), 'info', 'What is logged: this level and those above it.'),
};

type Given = v.InferOutput<v.ObjectSchema<typeof entries, undefined>>;

/** A setting that must be given in one mode, and makes no sense in another. */
const goesWith = (mode: Given['tlsMode'], name: 'tlsFolder' | 'tlsCertFile' | 'tlsKeyFile') =>
  v.forward(
    v.check<Given, string>(
      (given) => (given.tlsMode === mode) === (given[name] !== ''),
      `goes with --tls-mode=${mode}: give both or none`,
    ),
    [name],
  );

const schema = v.pipe(
  v.object(entries),
  goesWith('certManager', 'tlsFolder'),
  goesWith('provided', 'tlsCertFile'),
  goesWith('provided', 'tlsKeyFile'),
  v.transform((given) => ({ ...given, tlsServerNames: [...serviceNames(given), ...given.tlsServerNames] })),
);

/** The names under which the API server and others in the cluster reach a Service. */
const serviceNames = ({ service, namespace }: { service: string; namespace: string }): string[] => [
  `${service}.${namespace}.svc`,
  `${service}.${namespace}.svc.cluster.local`,
  `${service}.${namespace}`,
  service,
];

/** What the webhook was told; `tlsServerNames` holds the names of its Service as well. */
export type WebhookSettings = v.InferOutput<typeof schema>;

/** The webhook. */
export const webhookProgram: Program<WebhookSettings> = {
  start: 'drover webhook',
  description: 'Checks and completes machine objects before the API server stores them.',
  schema,
  ignored: [],
};
