import type { ControllerSettings } from '../../schemas/config/controller.ts';
import { clusterSources } from '../../schemas/config/kubeconfig.ts';
import type { Connection } from '../runtime/client/connection.ts';
import { connectionFrom } from '../runtime/kubeconfig/kubeconfig.ts';

/** How the two clusters are reached; without `target` machines join no cluster (hack/spec/mcm.md 0.2). */
export interface Connections {
  control: Connection;
  target?: Connection;
}

/** Reads what the settings name. Throws an Error that names the file, and what is wrong with it. */
export async function connections({
  controlKubeconfig,
  targetKubeconfig,
}: Pick<ControllerSettings, 'controlKubeconfig' | 'targetKubeconfig'>): Promise<Connections> {
  const sources = clusterSources({ controlKubeconfig, targetKubeconfig });
  const control = await connectionFrom(sources.control);
  if (sources.target === 'none') return { control };
  return { control, target: sources.target === 'control' ? control : await connectionFrom(sources.target) };
}
