import { setDefaultTimeout } from 'bun:test';
import { apiServerConformance } from '../conformance/apiserver.ts';
import { controlPlane } from './cluster.ts';

setDefaultTimeout(60_000);

apiServerConformance('A real API server', async () => {
  const cluster = await controlPlane();
  return { connection: cluster.admin, namespace: await cluster.namespace('farm') };
});
