import { setDefaultTimeout } from 'bun:test';
import { apiServerConformance } from '../conformance/apiserver.ts';
import { controlPlane } from './support/controlplane.ts';

setDefaultTimeout(180_000);

apiServerConformance('A real API server', async () => {
  const cluster = await controlPlane();
  return { connection: cluster.admin, namespace: await cluster.namespace('farm') };
});
