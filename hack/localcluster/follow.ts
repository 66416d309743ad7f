import type { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { type Node, nodes as nodeResource } from '../../controller/runtime/k8s/core.ts';
import { createLog } from '../../controller/runtime/observability/log.ts';
import { systemRandom as random } from '../../controller/runtime/random.ts';
import { Cache } from '../../controller/runtime/watch/cache.ts';
import { runCache } from '../../controller/runtime/watch/watch.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';
import { type Display, isComplete, type Row, rowsOf } from './display.ts';
import { herd, type Wanted } from './herd.ts';

const LOOK_MS = 100;
/** When nothing moves for so long, something is wrong. */
const STALL_MS = 60_000;
const WHERE = '.drover/log/controller.log may say why, and so may kubectl describe machine';

/**
 * Shows the herd's machines until there are as many as wanted, each Running with a ready Node. Throws when nothing has
 * changed for a minute, or the signal's reason.
 */
export async function followHerd(
  api: Api,
  wanted: Wanted,
  { display, signal }: { display: Display; signal: AbortSignal },
): Promise<void> {
  const machines = new Cache<Machine>();
  const nodes = new Cache<Node>();
  const ending = new AbortController();
  const common = {
    api,
    clock,
    random,
    log: createLog({ clock, level: 'error' }),
    signal: AbortSignal.any([signal, ending.signal]),
  };
  const selection = { namespace: herd.namespace, labelSelector: wanted.selector };
  const watching = [
    runCache({ ...common, resource: resources.machines, cache: machines, ...selection }),
    runCache({ ...common, resource: nodeResource, cache: nodes }),
  ];
  try {
    await Promise.all([machines.whenSynced(signal), nodes.whenSynced(signal)]);
    const rows = () => rowsOf(machines.list(), (name) => nodes.get(name));
    await untilComplete(rows, { wanted: wanted.machines, display, signal });
  } finally {
    ending.abort();
    await Promise.all(watching);
  }
}

interface Showing {
  wanted: number;
  display: Display;
  signal: AbortSignal;
}

async function untilComplete(rowsNow: () => Row[], { wanted, display, signal }: Showing): Promise<void> {
  let before = '';
  let changedAt = clock.now();
  for (;;) {
    signal.throwIfAborted();
    const rows = rowsNow();
    display(rows, performance.now() / 1000);
    if (isComplete(rows, wanted)) return;
    const now = JSON.stringify(rows);
    if (now !== before) changedAt = clock.now();
    before = now;
    if (clock.now() - changedAt > STALL_MS) throw new Error(`for ${STALL_MS / 1000} s nothing changed; ${WHERE}`);
    await clock.sleep(LOOK_MS);
  }
}
