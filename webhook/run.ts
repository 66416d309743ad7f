import { networkInterfaces } from 'node:os';
import { Api } from '../controller/runtime/client/api.ts';
import { systemClock as clock } from '../controller/runtime/clock.ts';
import { tokenBucket } from '../controller/runtime/fairness/rate.ts';
import type { Log } from '../controller/runtime/observability/log.ts';
import { createMetrics, type Metrics } from '../controller/runtime/observability/metrics.ts';
import { everyAddress } from '../controller/runtime/observability/server.ts';
import { endingOf, obey } from '../controller/runtime/program/program.ts';
import { systemRandom as random } from '../controller/runtime/random.ts';
import { release, version } from '../controller/runtime/release.ts';
import { readCommand } from '../schemas/config/commandline.ts';
import { type WebhookSettings, webhookProgram } from '../schemas/config/webhook.ts';
import type { Given } from '../schemas/config.ts';
import { providers } from '../schemas/providers/index.ts';
import { createPermission, type Permission } from './admission/accessreview.ts';
import { mutateHandler, validateHandler } from './admission/admit.ts';
import type { LookUp } from './admission/context.ts';
import { type Caches, createLookUp, followCluster, makeCaches, missingIn } from './admission/lookup.ts';
import { createMutate } from './admission/mutate.ts';
import { createValidate } from './admission/validate.ts';
import { certManagerSource } from './certificate/certmanager.ts';
import { providedSource, withClientAuthorities } from './certificate/files.ts';
import { type Credentials, refusedAt } from './certificate/keypair.ts';
import { keepCertificate } from './certificate/rotator.ts';
import { selfSource } from './certificate/selfsigned.ts';
import type { Source } from './certificate/source.ts';
import { connectionOf } from './connection.ts';
import { metricTables } from './metrics.ts';
import { registerProviders } from './providers/provider.ts';
import { tableFindings, tables } from './rules/kinds/registry.ts';
import { createFindOwner, withoutFormerOwners } from './rules/owners.ts';
import { withoutSavedRecords } from './rules/savedrecords.ts';
import { createServer } from './server/server.ts';
import { type Listener, listen } from './server/tlslistener.ts';

/** How API servers know the program: in their logs, and beside each field that it wrote. */
const NAME = 'drover-webhook';

/** How long open connections are told to close, with each answer, before the program ends; milliseconds. */
const LEAVING_MS = 2_000;

/** How long a watch may take to show what was just made, before a rule says that it is missing; milliseconds. */
const MOMENT_MS = 500;

/** Runs the webhook until it is told to stop (exit code 0), or has failed (1). Throws when it cannot start. */
async function main(settings: WebhookSettings, log: Log): Promise<number> {
  mustAgree();
  const ending = endingOf(process, { log, clock });
  const stop = ending.signal;
  const metrics = createMetrics({ tables: metricTables, process: true });
  const { api, asking } = await connect(settings, metrics);
  let listener: Listener | undefined;
  let shown: Credentials | undefined;
  const parts = { log, metrics };
  const caches = makeCaches(log);
  const enabled = providers.filter(({ name }) => settings.drivers.includes(name));
  const lookUp = createLookUp({ caches, providers: registerProviders(enabled), clock });
  followCluster(caches, { ...parts, api, clock, random, signal: stop });
  const permission = createPermission({ api: asking, clock, metrics });
  const { fetch } = createServer({
    ...parts,
    clock,
    validate: validateHandler(
      createValidate({ tables, permission, lookUp, retryDelay: () => clock.sleep(MOMENT_MS) }),
      parts,
    ),
    mutate: mutateHandler(mutating({ caches, lookUp, permission, asking }), parts),
    ready: {
      stopping: () => (stop.aborted ? 'the program is about to end' : undefined),
      certificate: () => shown && refusedAt(shown, clock.now()),
      caches: () => missingIn(caches),
    },
    isStopping: () => stop.aborted,
    trustedOnly: settings.clientCaFile !== '',
  });
  const serve = async (pair: Credentials) => {
    shown = pair;
    if (listener) return listener.exchange(pair);
    const address = settings.address || everyAddress(networkInterfaces());
    listener = await listen({ ...parts, fetch, credentials: pair, address, port: settings.port, clock });
    log.info('listening', { port: listener.port });
  };
  await keepCertificate({ ...parts, source: sourceOf(settings, api), serve, clock, random, signal: stop });
  log.info('stopping', { why: String(stop.reason) });
  await clock.sleep(listener ? LEAVING_MS : 0);
  await listener?.stop();
  return ending.codeOf(0);
}

/** What was saved of another object is left out before the rest is filled in. */
function mutating({ caches, lookUp, permission, asking }: Mutating) {
  const findOwner = createFindOwner({ caches, api: asking, clock });
  return withoutFormerOwners(withoutSavedRecords(createMutate({ tables, clock, lookUp }), permission), findOwner);
}

interface Mutating {
  caches: Caches;
  lookUp: LookUp;
  permission: Permission;
  asking: Api;
}

function mustAgree(): void {
  const faults = tableFindings(tables);
  if (faults.length > 0) throw new Error(`the tables of rules contradict themselves: ${faults.join('; ')}`);
}

/** For the requests by which the program lives, and for what others make it ask, which takes nothing from those. */
async function connect(settings: WebhookSettings, metrics: Metrics): Promise<{ api: Api; asking: Api }> {
  const limiter = tokenBucket({ clock, qps: settings.kubeApiQps, burst: settings.kubeApiBurst });
  const connection = await connectionOf(settings);
  const parts = { connection, clock, metrics, userAgent: `${NAME}/${version}`, fieldManager: NAME };
  return { api: new Api({ ...parts, limiter }), asking: new Api(parts) };
}

function sourceOf(settings: WebhookSettings, api: Api): Source {
  const source = certificateOf(settings, api);
  return settings.clientCaFile === '' ? source : withClientAuthorities(source, settings.clientCaFile);
}

function certificateOf(settings: WebhookSettings, api: Api): Source {
  const { namespace, tlsSecret: secret, tlsServerNames: names, webhookConfiguration: configurations } = settings;
  switch (settings.tlsMode) {
    case 'self':
      return selfSource({ api, clock, random, namespace, secret, names, configurations });
    case 'certManager':
      return certManagerSource({ api, clock, folder: settings.tlsFolder, configurations });
    case 'provided':
      return providedSource({ certFile: settings.tlsCertFile, keyFile: settings.tlsKeyFile });
  }
}

/**
 * The program: reads its command line and environment, works until it is told to stop, and returns the exit code. It takes
 * over the signals, and the output, of the process.
 * @param start the command that the user started it by
 */
export async function runWebhook(given: Given, start: string): Promise<number> {
  const command = readCommand({ ...webhookProgram, start }, given, release);
  return obey(command, { env: given.env, clock, name: 'webhook' }, main);
}
