import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { createLog } from '../../controller/runtime/observability/log.ts';
import { createMetrics } from '../../controller/runtime/observability/metrics.ts';
import { issueAuthority, issueLeaf } from '../../webhook/certificate/authority.ts';
import { webhookMetrics } from '../../webhook/metrics.ts';
import { listen } from '../../webhook/server/tlslistener.ts';
import { webhookApp } from '../admission/app.ts';

/** The webhook's listener and endpoints in a process of their own, with a new certificate whenever asked for. */
export interface Listening {
  port: number;
  /** PEM certificate of the authority that signs all certificates. */
  ca: string;
  /** Exchanges the certificate; resolves once the new one is served. */
  rotate(): Promise<void>;
  end(): Promise<void>;
}

/** What the process sends to its parent: once it listens, and after each exchange. */
type Message = { port: number; ca: string } | 'rotated';

/** Starts the process; resolves once it listens. */
export async function startListening(): Promise<Listening> {
  const ready = Promise.withResolvers<{ port: number; ca: string }>();
  let rotated: PromiseWithResolvers<void> | undefined;
  const child = Bun.spawn([process.execPath, import.meta.path], {
    stdout: 'inherit',
    stderr: 'inherit',
    ipc: (message: Message) => (message === 'rotated' ? rotated?.resolve() : ready.resolve(message)),
    onExit(_child, code) {
      const error = new Error(`the listener ended with code ${code}`);
      ready.reject(error);
      rotated?.reject(error);
    },
  });
  return {
    ...(await ready.promise),
    rotate() {
      rotated = Promise.withResolvers<void>();
      child.send('rotate');
      return rotated.promise;
    },
    async end() {
      child.kill();
      await child.exited;
    },
  };
}

async function run(): Promise<void> {
  const send = (message: Message) => process.send?.(message);
  const authority = await issueAuthority(clock.now());
  const issue = () => issueLeaf(authority, ['127.0.0.1'], clock.now());
  const log = createLog({ clock, level: 'warn' });
  const { fetch } = webhookApp().app;
  const metrics = createMetrics({ tables: [webhookMetrics] });
  const parts = { fetch, credentials: await issue(), clock, log, metrics };
  const listener = await listen({ ...parts, address: '127.0.0.1', port: 0 });
  process.on('message', async () => {
    listener.exchange(await issue());
    send('rotated');
  });
  send({ port: listener.port, ca: authority.cert });
}

if (import.meta.main) await run();
