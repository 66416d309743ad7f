import { expect, test } from 'bun:test';
import { FakeClock } from '../clock.fake.ts';
import { createMetrics } from '../observability/metrics.ts';
import { FakeServer, json } from '../server.fake.ts';
import { Api } from './api.ts';
import { Exchangeable, tokenCredentials } from './connection.ts';
import { apiMetrics } from './transport.ts';

test('requests take the new way as soon as it is exchanged, with its credentials', async () => {
  using one = new FakeServer(json({ at: 'one' }));
  using two = new FakeServer(json({ at: 'two' }));
  const connection = new Exchangeable({ ...one.connection, credentials: tokenCredentials('old') });
  const metrics = createMetrics({ tables: [apiMetrics] });
  const api = new Api({ connection, clock: new FakeClock(), metrics, server: 'herd/east' });
  expect(await api.request('GET', '/')).toEqual({ at: 'one' });
  connection.exchange({ ...two.connection, credentials: tokenCredentials('new') });
  expect(await api.request('GET', '/')).toEqual({ at: 'two' });
  expect(two.received.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer new']);
  expect(await metrics.text()).toContain('rest_client_requests_total{code="200",method="GET",host="herd/east"} 2');
});
