import { describe, expect, test } from 'bun:test';
import { createMetrics } from './metrics.ts';
import { everyAddress, serve } from './server.ts';

describe('all addresses', () => {
  test.each([
    [{}, '0.0.0.0'],
    [{ lo: [{ family: 'IPv4' }], eth0: undefined }, '0.0.0.0'],
    [{ lo: [{ family: 'IPv4' }], eth0: [{ family: 'IPv4' }, { family: 'IPv6' }] }, '::'],
  ] as const)('of %j are %s', (interfaces, address) => {
    expect(everyAddress(interfaces)).toBe(address);
  });

  test('take IPv4, whether or not there is IPv6', async () => {
    const hostname = everyAddress((await import('node:os')).networkInterfaces());
    const metrics = createMetrics({ tables: [] });
    const listener = serve({ port: 0, hostname, healthy: {}, ready: {}, metrics });
    const answer = await fetch(`http://127.0.0.1:${listener.port}/healthz`, { keepalive: false });
    expect(await answer.text()).toBe('ok');
    await listener.stop();
  });
});
