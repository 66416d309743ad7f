import type { Scene } from './scene.ts';

/** What has to be there before a case begins, and how much of it the case may disturb. */
export interface Needs {
  /**
   * `shared`: the release that looks after all namespaces and that many cases use. `own`: the case installs releases of
   * its own, and the shared one is gone.
   */
  release: 'shared' | 'own';
  /**
   * No other case runs meanwhile. One with the shared release may disturb it, and leaves it well; one with its own may
   * look after all namespaces and touch the CRDs. The others keep to their namespaces.
   */
  alone?: boolean;
  /** The cluster was made for this run: Nodes of it are drained. */
  ownCluster?: boolean;
}

/** One thing that is shown on a whole cluster. */
export interface Case {
  /** Letters, digits and dashes: the name of its namespace begins with it. */
  name: string;
  /** What it shows, as a sentence without a full stop. */
  shows: string;
  needs: Needs;
  /** Throws when it does not hold, `Skipped` when it cannot be shown on this cluster. */
  run(scene: Scene): Promise<void>;
  /** Takes away what the case made outside its namespace; runs whatever happened before. */
  cleanUp?(scene: Scene): Promise<void>;
}

/** Ends a case that cannot be shown on this cluster; the message says why. */
export class Skipped extends Error {}
