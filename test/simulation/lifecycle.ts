import type { WorldClock } from '../world/clock.ts';
import type { Chance } from './chance.ts';
import type { Cloud, Vm, VmEvent } from './cloud.ts';
import { report } from './kubelets.ts';
import type { Server } from './server.ts';

/** What the target cluster's own node-lifecycle controller looks at. */
export interface LifecycleParts {
  cloud: Cloud;
  target: Server;
  clock: WorldClock;
  chance: Chance;
  /** How far the clocks of the kubelets are ahead, milliseconds. */
  skewMs: number;
}

/** A Node that is silent for so long is no longer Ready (node-monitor-grace-period). */
const GRACE_MS = 40_000;

/** After an outage: how often all Nodes are marked, how soon, and how soon their kubelets report again, milliseconds. */
const RECOVERY = {
  rate: 0.7,
  marks: [0, 10_000],
  reports: [5_000, 60_000],
  late: [60_000, 240_000],
  lateRate: 0.2,
} as const;

/**
 * Marks Nodes that are silent. An outage of the API server keeps every Lease from being renewed: when it is back, all
 * Nodes are marked, until their kubelets report again.
 */
export function runLifecycle({ cloud, target, clock, chance, skewMs }: LifecycleParts): void {
  const mark = (vm: Vm) => report(target, vm, { status: 'Unknown', at: clock.now() + target.skewMs });
  const silence = (vm: Vm) =>
    clock.after(GRACE_MS, () =>
      target.whenReached(() => {
        const there = cloud.vms.get(vm.providerID);
        if (!there || there.broken) mark(vm);
      }),
    );
  const silent: ReadonlySet<VmEvent['type']> = new Set(['broken', 'vanished', 'deleted']);
  cloud.onEvent(({ type, vm }) => silent.has(type) && silence(vm));
  const reportsLater = (vm: Vm) => {
    const [from, to] = chance.happens(RECOVERY.lateRate) ? RECOVERY.late : RECOVERY.reports;
    clock.after(chance.between(from, to), () =>
      target.whenReached(() => {
        if (cloud.vms.has(vm.providerID) && !vm.broken)
          report(target, vm, { status: 'True', at: clock.now() + skewMs });
      }),
    );
  };
  target.onTurn(() => {
    const last = target.past.at(-1);
    if (target.outage || !last?.forAll || last.until - last.since < GRACE_MS || !chance.happens(RECOVERY.rate)) return;
    clock.after(chance.between(...RECOVERY.marks), () => {
      for (const vm of cloud.vms.values()) {
        mark(vm);
        reportsLater(vm);
      }
    });
  });
}
