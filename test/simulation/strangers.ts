import type { Chance } from './chance.ts';
import type { Vm } from './cloud.ts';
import type { Stage } from './stage.ts';

/** VMs that nobody here made, or nobody knows any more. */
export const strangers = {
  /** Of another installation, which may have given it the name of one of our machines. */
  foreign: (chance) => ({ incarnation: 'another', ...chance.oneOf([{}, NAMESAKE]) }),
  /** Of nobody knows which installation. */
  nameless: () => ({ incarnation: undefined }),
  /** Of nobody knows which age. */
  ageless: () => ({ created: undefined }),
  /** A moment old: somebody may be about to write it down. */
  young: () => ({ aged: 0 }),
  /** Ours, and old, without a Machine. */
  orphan: () => ({}),
  /** Left on purpose. */
  retained: () => ({ retained: true as const }),
  /** A second VM for one of our machines: the cloud was asked once and made two. */
  second: () => NAMESAKE,
} as const satisfies Record<string, (chance: Chance) => Oddity>;

/** What kind of stranger a VM is. */
export type Stranger = keyof typeof strangers;

/** In what a stranger is unlike an orphan of ours; `aged` for how long it is there, milliseconds. */
type Oddity = Partial<Pick<Vm, 'incarnation' | 'created' | 'retained'>> & { namesake?: true; aged?: number };

const NAMESAKE: Oddity = { namesake: true };

/** How old a stranger is that is not young, milliseconds. */
const OLD_MS = 3_600_000;

/** Puts a stranger into the cloud. */
export function plant({ cloud, user, chance, control, clock, trace }: Stage): void {
  const kind = chance.oneOf(Object.keys(strangers) as Stranger[]);
  const { namesake, aged = OLD_MS, ...oddity }: Oddity = strangers[kind](chance);
  const machines = user.all('machines');
  const name = namesake && machines.length > 0 ? chance.oneOf(machines).metadata.name : `stranger-${cloud.vms.size}`;
  trace.note('injector', `plants a VM: ${kind}`, { name });
  cloud.plant({
    stranger: kind,
    machine: `herd/${name}`,
    nodeName: name,
    incarnation: control.api.store.get('/namespaces', 'kube-system')?.metadata.uid,
    bornAt: clock.now() - aged,
    ...oddity,
  });
}
