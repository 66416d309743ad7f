import { resources } from '../../schemas/kinds.ts';
import { type ControllerProcess, startController } from '../api/support/controllerprocess.ts';
import { type Census, openCensus } from './census.ts';
import { classIn, FLAGS } from './herd.ts';
import type { Stage } from './stage.ts';

/** A controller, and who counts the machines that it makes. */
export interface Counting {
  namespace: string;
  controller: ControllerProcess;
  census: Census;
}

/** Runs `play` with a controller without limits and webhook in that namespace, in which the class of a herd is; it has no machines yet. */
export async function whileCounting<T>(
  { cluster, api }: Stage,
  namespace: string,
  play: (counting: Counting) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const controller = await startController({ cluster, namespace, flags: FLAGS });
  try {
    await controller.working();
    await api.create(resources.machineClasses, classIn(namespace));
    const census = await openCensus(api, namespace, over.signal);
    return await play({ namespace, controller, census });
  } finally {
    over.abort();
    await controller.stop();
  }
}
