import { AUTHORITY_MS, LEAF_MS } from '../../webhook/certificate/authority.ts';
import { MOST_BODY_BYTES } from '../../webhook/server/server.ts';
import { LIMITS } from '../../webhook/server/tlslistener.ts';

const days = (ms: number): number => ms / (24 * 3600 * 1000);
const mib = (bytes: number): number => bytes / 1024 ** 2;

/** What whoever runs the webhook should know of its certificates and its limits. */
export const running = (): string => `## Running it

Any number of replicas may run; none knows what another must know. A replica is ready (\`/readyz\`) once it serves a
certificate that is valid now and has seen what the rules look at; with tables that contradict themselves it does not start.

Where the certificate comes from is said by \`--tls-mode\`:

- \`self\`: the webhook is its own authority (${days(AUTHORITY_MS)} days) and signs its certificate (${days(LEAF_MS)} days). Both are renewed after two thirds of that by
  the replica that comes first, and shared in a Secret. A new authority signs 5 minutes after API servers were told of it,
  and the old one stays in \`caBundle\` until it expires. Certificates are valid 5 minutes before they are made, for clocks
  that differ.
- \`certManager\`: \`--tls-folder\` names the mounted Secret of a Certificate. The webhook writes its \`ca.crt\` into \`caBundle\`,
  beside what is there; no cainjector is needed ([why](../hack/decisions/0007-publish-cert-managers-authority-ourselves.md)).
- \`provided\`: two files, read anew each minute. Whoever gives them writes \`caBundle\`.

A certificate is exchanged without closing a connection. \`drover_webhook_certificate_days_left\` counts down to the end of
each; alert below 7.

A client has 10 seconds for the TLS handshake, and 10 from the first byte of a request to its answer. Bodies have at most
${mib(MOST_BODY_BYTES)} MiB. ${mib(LIMITS.bytes)} MiB of requests may be in work at once, counted as they come, and ${LIMITS.connections} connections be open; no address has more
of either than it leaves free, so half of it while it is alone ([why](../hack/decisions/0036-share-the-open-port.md)). What is beyond is answered
with 429, and the API server tries again each second until its own 5 seconds have passed, and then refuses the write.

With \`--client-ca-file\` reviews are answered only for clients with a certificate of one of its authorities, others with 401;
\`/healthz\`, \`/readyz\` and \`/metrics\` stay open to all. An API server shows a certificate when its
[AdmissionConfiguration](https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#authenticate-apiservers)
names a kubeconfig for the plugins MutatingAdmissionWebhook and ValidatingAdmissionWebhook. Let it do so first: an API server that is not heard
stores nothing of our kinds.

While no replica answers, our kinds can be neither made nor changed; finalizers, status, scaling and deletions go on, but for
the deletion of a protected Cluster. What the policies hold, they hold then as well.`;
