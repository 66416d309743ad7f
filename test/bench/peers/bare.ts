import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';

/**
 * The least that a webhook can do with Hono on Bun: it reads a review and allows it. `bun bare.ts PORT FOLDER`, the folder
 * with tls.crt and tls.key.
 */

const [port = '0', folder = '.'] = process.argv.slice(2);

const app = new Hono();
app.get('/readyz', (c) => c.text('ok'));
app.post('/*', async (c) => {
  const { apiVersion, kind, request } = await c.req.json<Review>();
  return c.json({ apiVersion, kind, response: { uid: request.uid, allowed: true } });
});

interface Review {
  apiVersion: string;
  kind: string;
  request: { uid: string };
}

const file = (name: string) => readFileSync(join(folder, name), 'utf8');
Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  tls: { cert: file('tls.crt'), key: file('tls.key') },
  fetch: app.fetch,
});
