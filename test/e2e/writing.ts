import type { Scene } from './scene.ts';

/** Some writes a second: more would keep the cluster from what happens. */
const PAUSE_MS = 150;

/** Machines' deployments are written to all the time while something happens; says which writes were not let in. */
export async function whileWriting(scene: Scene, deployment: string, work: () => Promise<void>): Promise<string[]> {
  let over = false;
  const refused: string[] = [];
  const write = async () => {
    for (let count = 0; !over; count++) {
      const label = ['label', 'mcd', deployment, `e2e-write=${count}`, '--overwrite'];
      const { code, stderr } = await scene.terminal.tryKubectl(label);
      if (code !== 0) refused.push(stderr.trim());
      await Bun.sleep(PAUSE_MS);
    }
  };
  const finish = async () => {
    try {
      await work();
    } finally {
      over = true;
    }
  };
  await Promise.all([finish(), write()]);
  return refused;
}
