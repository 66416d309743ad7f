import type { Release, SeenPod } from './release.ts';
import type { Scene } from './scene.ts';

/** Ports under which the API server reaches the programs' metrics. */
const PORTS = { controller: ['http', 10258], webhook: ['https', 9443] } as const;

/** The metrics of a pod, as Prometheus reads them. */
export async function metricsOf(scene: Scene, release: Release, pod: SeenPod): Promise<string> {
  const component = pod.metadata.labels?.['app.kubernetes.io/component'] === 'webhook' ? 'webhook' : 'controller';
  const [scheme, port] = PORTS[component];
  const path = `/api/v1/namespaces/${release.namespace}/pods/${scheme}:${pod.metadata.name}:${port}/proxy/metrics`;
  return scene.kubectl('get', '--raw', path);
}

/** The sum of the series whose text begins like this: a name, or a name with its first labels. */
export function sumOf(metrics: string, series: string): number {
  const lines = metrics.split('\n').filter((line) => line.startsWith(series));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
