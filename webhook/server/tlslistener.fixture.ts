import { afterEach } from 'bun:test';
import { systemClock } from '../../controller/runtime/clock.ts';
import { FakeLog } from '../../controller/runtime/observability/log.fake.ts';
import { createMetrics } from '../../controller/runtime/observability/metrics.ts';
import { issueAuthority, issueLeaf } from '../certificate/authority.ts';
import type { Pair } from '../certificate/keypair.ts';
import { webhookMetrics } from '../metrics.ts';
import { type Listener, type ListenParts, listen } from './tlslistener.ts';

/** Listeners of tests on a free port of this machine, and what calls them. Each ends after its test. */

/** Signs what all of them show. */
export const authority = await issueAuthority(systemClock.now());

/** A certificate for this machine. */
export const leaf = (name = 'localhost'): Promise<Pair> => issueLeaf(authority, [name, '127.0.0.1'], systemClock.now());

const listeners: Listener[] = [];
afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.stop()));
});

/** What all of them count in. */
export const metrics = createMetrics({ tables: [webhookMetrics] });

/** Starts a listener. */
export async function start(fetch: ListenParts['fetch'], given: Partial<ListenParts> = {}): Promise<Listener> {
  const { credentials = await leaf() } = given;
  const parts = { clock: systemClock, log: new FakeLog(), metrics, address: '127.0.0.1', port: 0, ...given };
  const listener = await listen({ ...parts, fetch, credentials });
  listeners.push(listener);
  return listener;
}

/** Sends it a request. */
export const ask = ({ port }: Listener, init: RequestInit = {}): Promise<Response> =>
  fetch(`https://127.0.0.1:${port}/`, { ...init, tls: { ca: authority.cert } });

/** Answers with the body that came. */
export const echo = async (request: Request): Promise<Response> => new Response(await request.text());
