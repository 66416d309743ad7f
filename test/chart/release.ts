import { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { OwnCluster } from '../api/support/controlplane.ts';
import { documentsOf, helm, type Rendering, renderingArguments } from './helm.ts';

/** A release of the chart in a real cluster, by the real helm. */
export class Release {
  readonly cluster: OwnCluster;
  readonly name: string;
  readonly namespace: string;
  readonly api: Api;

  constructor(cluster: OwnCluster, name = 'drover', namespace = 'drover-system') {
    this.cluster = cluster;
    this.name = name;
    this.namespace = namespace;
    this.api = new Api({ connection: cluster.admin, clock });
  }

  /** `helm install`, which makes the namespace as well. Returns what it prints. */
  install(rendering: Pick<Rendering, 'set' | 'files' | 'words'> = {}): Promise<string> {
    return this.#helm('install', { ...rendering, words: ['--create-namespace', ...(rendering.words ?? [])] });
  }

  /** `helm upgrade` to just these values. */
  upgrade(rendering: Pick<Rendering, 'set' | 'files' | 'words'> = {}): Promise<string> {
    return this.#helm('upgrade', rendering);
  }

  async uninstall(): Promise<void> {
    await this.#run(['uninstall', this.name, `--namespace=${this.namespace}`]);
  }

  /** The objects of the release as helm has made them. */
  async objects(): Promise<KubeObject[]> {
    return documentsOf(await this.#run(['get', 'manifest', this.name, `--namespace=${this.namespace}`]));
  }

  /** The objects of the release as they stand in the cluster, by kind and name. */
  async standing(): Promise<Map<string, KubeObject>> {
    const stdin = (await this.objects()).map((object) => JSON.stringify(object)).join('\n---\n');
    const { code, stdout, stderr } = await this.cluster.kubectl(['get', '-o', 'json', '-f', '-'], { stdin });
    if (code !== 0) throw new Error(stderr);
    const { items } = JSON.parse(stdout) as { items: KubeObject[] };
    return new Map(items.map((one) => [`${one.kind} ${one.metadata.namespace ?? ''}/${one.metadata.name}`, one]));
  }

  #helm(command: string, rendering: Rendering): Promise<string> {
    return this.#run([command, ...renderingArguments({ ...rendering, release: this.name, namespace: this.namespace })]);
  }

  async #run(words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await helm([...words, `--kubeconfig=${this.cluster.kubeconfig}`]);
    if (code !== 0) throw new Error(`helm ${words.join(' ')}: ${stderr}`);
    return stdout;
  }
}
