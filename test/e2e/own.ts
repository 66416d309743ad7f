import { install, merged, type Release, uninstall, type Values } from './release.ts';
import type { Scene } from './scene.ts';

/** A release in the scene's namespace, for which it has a name of its own. */
export const ownRelease = ({ namespace }: Scene): Release => ({ name: namespace, namespace });

/** Values of a release that keeps to its namespace, so that others may be beside it. */
export const keptTo = (namespace: string): Values => ({
  crds: { enabled: false },
  controller: { namespace, replicas: 1 },
  webhook: { replicas: 1 },
  driver: { virtual: { createNamespace: false } },
});

/** Installs a release that keeps to the scene's namespace. */
export const installOwn = (scene: Scene, values: Values = {}): Promise<void> =>
  install(scene, ownRelease(scene), { values: merged(keptTo(scene.namespace), values) });

/** Removes it. */
export const uninstallOwn = (scene: Scene): Promise<void> => uninstall(scene, ownRelease(scene));
