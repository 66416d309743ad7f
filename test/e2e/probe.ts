import type { Manifest, Scene, Seen } from './scene.ts';

/** A harmless pod of busybox that runs a command; waits until it is ready. */
export async function runPod(scene: Scene, name: string, command: readonly string[]): Promise<void> {
  await scene.apply(podOf(scene, name, command));
  await scene.wait(`pod/${name}`, '--for=condition=Ready');
}

/** Serves an empty folder by HTTP from a pod; says where, as host and port. */
export async function serve(scene: Scene, name: string): Promise<string> {
  await runPod(scene, name, ['httpd', '-f', '-p', '8080', '-h', '/etc']);
  const { status } = await scene.get<Seen & { status: { podIP: string } }>('pod', name);
  return `${hostOf(status.podIP)}:8080/passwd`;
}

/** An address as it stands in a URL. */
export const hostOf = (ip: string): string => (ip.includes(':') ? `[${ip}]` : ip);

/** Whether a pod gets an answer by HTTP within two seconds. */
export async function probe(scene: Scene, pod: string, address: string): Promise<boolean> {
  const command = ['timeout', '2', 'wget', '-q', '-O', '/dev/null', `http://${address}`];
  return (await scene.terminal.tryKubectl(['exec', pod, '--', ...command])).code === 0;
}

const podOf = (scene: Scene, name: string, command: readonly string[]): Manifest => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: name } },
  spec: {
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name,
        image: scene.surroundings.images.busybox,
        imagePullPolicy: 'IfNotPresent',
        command,
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
    ],
  },
});
