import type { Api } from '../../controller/runtime/client/api.ts';
import { systemClock as clock } from '../../controller/runtime/clock.ts';
import { createLog } from '../../controller/runtime/observability/log.ts';
import { systemRandom as random } from '../../controller/runtime/random.ts';
import { Cache, type Change } from '../../controller/runtime/watch/cache.ts';
import { runCache } from '../../controller/runtime/watch/watch.ts';
import { resources } from '../../schemas/kinds.ts';
import type { Machine } from '../../schemas/machine.ts';

/** How many machines a namespace has, as a watch tells it: the same eye for the controller and for the floor. */
export interface Census {
  /** Resolves as soon as so many machines are Running. */
  running(count: number): Promise<void>;
  /** Resolves as soon as there are no more machines than that. */
  left(count: number): Promise<void>;
  /** Resolves as soon as there are exactly so many machines, all of them Running and with these labels. */
  replaced(count: number, labels: Readonly<Record<string, string>>): Promise<void>;
}

interface Wish {
  holds(): boolean;
  resolve(): void;
}

const PATIENCE_MS = 1_200_000;

/** Counts from now on, until the signal aborts. */
export async function openCensus(api: Api, namespace: string, signal: AbortSignal): Promise<Census> {
  const log = createLog({ clock, level: 'error', sink: process.stderr });
  const machines = new Cache<Machine>({ log });
  const wishes = new Set<Wish>();
  let running = 0;
  machines.onChange(({ before, after }: Change<Machine>) => {
    running += Number(isRunning(after)) - Number(isRunning(before));
    for (const wish of wishes) if (wish.holds()) wish.resolve();
  });
  const once = async (what: string, holds: () => boolean): Promise<void> => {
    if (holds()) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const wish = { holds, resolve };
    wishes.add(wish);
    const cancel = clock.after(PATIENCE_MS, () => reject(new Error(`waited ${PATIENCE_MS / 1000} s for ${what}`)));
    await promise.finally(cancel);
    wishes.delete(wish);
  };
  void runCache({ api, resource: resources.machines, cache: machines, namespace, clock, random, log, signal });
  await machines.whenSynced(signal);
  return {
    running: (count) => once(`${count} machines to be Running`, () => running >= count),
    left: (count) => once(`only ${count} machines to be left`, () => machines.size <= count),
    replaced: (count, labels) =>
      once(
        `${count} machines to be replaced`,
        () => machines.size === count && machines.list().every((one) => isRunning(one) && carries(one, labels)),
      ),
  };
}

const isRunning = (machine: Machine | undefined): boolean => machine?.status?.currentStatus?.phase === 'Running';

const carries = ({ metadata }: Machine, labels: Readonly<Record<string, string>>): boolean =>
  Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value);
