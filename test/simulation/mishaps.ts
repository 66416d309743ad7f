import type { OutageMode } from './outage.ts';
import type { Process } from './process.ts';
import type { Processes } from './processes.ts';
import type { Server } from './server.ts';
import type { Stage } from './stage.ts';

/** The process that leads. */
const leaderOf = ({ alive }: Processes): Process | undefined => alive.find(({ leads }) => leads) ?? alive[0];

/** What a process did before it froze goes on when it thaws, although another may lead by then. */
export function freeze(stage: Stage, ms: number): void {
  const { processes, clock, trace } = stage;
  const process = leaderOf(processes);
  if (!process) return;
  trace.note(process.who, 'freezes', { ms: Math.round(ms) });
  process.lifetime.freeze();
  clock.after(ms, () => thaw(stage, process));
}

/** A process that froze goes on. */
export function thaw({ processes, trace, overlap }: Stage, process: Process): void {
  if (!process.lifetime.frozen) return;
  trace.note(process.who, 'thaws');
  if (process.leads && processes.alive.some((other) => other !== process && other.leads)) overlap.happened = true;
  process.lifetime.thaw();
}

/** The leader freezes for so long that another leads: it takes one lease after the other. */
export function takeOver(stage: Stage): void {
  if (stage.elected && stage.processes.alive.length < 2) stage.processes.start();
  freeze(stage, stage.chance.between(60_000, 150_000));
}

/** The leader loses its lease, while its calls to the cloud go on. */
export function cutOff({ processes, chance, clock, trace }: Stage): void {
  const process = leaderOf(processes);
  if (!process) return;
  trace.note(process.who, 'is cut off');
  process.lifetime.cutSince ??= clock.now();
  clock.after(chance.between(1_000, 90_000), () => {
    process.lifetime.cutSince = undefined;
  });
}

/** A blip, or long enough to matter, milliseconds. */
const OUTAGES: ReadonlyArray<[from: number, to: number]> = [
  [1_000, 29_000],
  [45_000, 400_000],
];

const OUTAGE_MODES: readonly OutageMode[] = ['refuses', 'hangs', 'fails', 'cuts'];

/** Outages of these servers, each in a mode of its own. */
export function outage({ chance }: Stage, servers: readonly Server[]): void {
  const ms = chance.between(...chance.oneOf(OUTAGES));
  for (const server of servers)
    server.beginOutage({ mode: chance.oneOf(OUTAGE_MODES), forAll: chance.happens(0.7) }, ms);
}

/** All processes die while the target API server is unreachable. */
export function restartInOutage(stage: Stage): void {
  const { target, clock, chance, processes } = stage;
  outage(stage, [target]);
  clock.after(chance.between(1_000, 60_000), () => {
    for (const one of processes.alive) processes.kill(one);
  });
}

/** By how much a clock is set, forward or back, and for how long it stays so, milliseconds. */
const STEP = { byMs: 3_600_000, from: 5_000, to: 1_200_000 };

/** Somebody sets the clock of one host, or of all, and later sets it right. */
export function setClock({ processes, chance, clock, trace }: Stage): void {
  const byMs = chance.oneOf([-STEP.byMs, STEP.byMs]);
  const hosts = chance.happens(0.5) ? processes.hosts : [chance.oneOf(processes.hosts)];
  const set = (ms: number) => {
    trace.note('hosts', 'clocks are set', { ms, hosts: hosts.length });
    for (const host of hosts) host.aheadMs += ms;
  };
  set(byMs);
  clock.after(chance.between(STEP.from, STEP.to), () => set(-byMs));
}

/** Milliseconds for which a zone is silent: less or more than machines are given up after. */
const SILENCE = { from: 60_000, to: 900_000 };

/** All Nodes of a zone fall silent at once, and report again at once. */
export function silenceZone({ cloud, chance, clock }: Stage): void {
  const zone = chance.oneOf(['a', 'b']);
  const vms = [...cloud.vms.values()].filter((vm) => vm.zone === zone && !vm.broken);
  for (const vm of vms) cloud.setBroken(vm, true);
  clock.after(chance.between(SILENCE.from, SILENCE.to), () => {
    for (const vm of vms) cloud.setBroken(vm, false);
  });
}

/**
 * How old a backup is when it is restored, and for how long the server is unreachable for that: a blip, or long enough to matter, milliseconds. One
 * of fewer writes before goes unnoticed where as many come before the first watch does (hack/decisions/0030).
 */
const RESTORED = { age: [5_000, 120_000], outage: OUTAGES, writes: 20 } as const;

/** The control API server’s store is lost, and restored from a backup of some moment (etcd; hack/decisions/0051 L115). */
export function restoreBackup({ control, clock, chance, trace, processes, guard }: Stage): void {
  const backup = control.api.store.backup();
  clock.after(chance.between(...RESTORED.age), () => {
    if (control.api.store.version - backup.version < RESTORED.writes) return;
    guard.rewound(backup);
    control.beginOutage({ mode: 'refuses', forAll: true }, chance.between(...chance.oneOf(RESTORED.outage)));
    trace.note('injector', 'a backup is restored', { version: backup.version, was: control.api.store.version });
    control.api.store.restore(backup);
    if (chance.happens(0.4)) for (const process of processes.alive) processes.kill(process);
  });
}
