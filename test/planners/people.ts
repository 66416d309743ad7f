import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { Chance } from '../simulation/chance.ts';
import type { Herd } from './herd.ts';
import { BAD } from './world.ts';

type Strategy = MachineDeployment['spec']['strategy'];

/** What people do to a deployment. */
export interface Habits {
  strategies: ReadonlyArray<'RollingUpdate' | 'Recreate'>;
  /** Some templates name a class of which no machine ever runs. */
  bad: boolean;
  /** For how long a machine is ready before it is available. */
  minReadySeconds: number;
  /** They pause and resume. */
  pause: boolean;
  /** They change a template, take machines away while that is rolled out, and make many anew. */
  shrink?: boolean;
}

/** Another strategy. */
export function strategyOf(chance: Chance, { strategies, shrink }: Habits): Strategy {
  const type = chance.oneOf(strategies);
  if (shrink) return { type, rollingUpdate: { maxSurge: 0, maxUnavailable: chance.oneOf([2, '25%', '50%']) } };
  if (type === 'Recreate') return { type };
  const maxSurge = chance.oneOf([0, 1, 2, 3, '25%', '100%']);
  const maxUnavailable = chance.oneOf([0, 1, 2, '25%', '100%']);
  return { type, rollingUpdate: { maxSurge, maxUnavailable } };
}

/** Names a class, of a few. */
function another(chance: Chance, { bad }: Habits): object {
  const name = `${bad && chance.happens(0.3) ? BAD : 'good'}${chance.whole(0, 3)}`;
  return { spec: { template: { spec: { class: { name } } } } };
}

/** Everything that people do, with how often. */
const WEIGHTS = { template: 2, scale: 1, strategy: 1, back: 1, pause: 1, resume: 1 } as const;

/** What comes next for who shrinks deployments in rollouts. */
function shrinkOf(herd: Herd): 'template' | 'shrink' | 'grow' {
  if (!herd.settled()) return 'shrink';
  return (herd.deployment.spec.replicas ?? 0) < 8 ? 'grow' : 'template';
}

/**
 * Somebody does something. Answers whether the promises about what is available begin anew: those of more machines, or of
 * other limits, reach sets that are just taking some away. Fewer machines are promised at once (hack/decisions/0058).
 */
export function meddle(herd: Herd, chance: Chance, habits: Habits): boolean {
  const before = herd.deployment.spec.replicas ?? 0;
  const what = habits.shrink
    ? shrinkOf(herd)
    : chance.weighted({ ...WEIGHTS, ...(!habits.pause && { pause: 0, resume: 0 }) });
  if (what === 'template') herd.patchDeployment(another(chance, habits));
  if (what === 'scale') herd.patchDeployment({ spec: { replicas: chance.whole(0, 7) } });
  if (what === 'shrink') herd.patchDeployment({ spec: { replicas: Math.max(1, before - chance.whole(1, 3)) } });
  if (what === 'grow') herd.patchDeployment({ spec: { replicas: 16 } });
  if (what === 'back') herd.patchDeployment({ spec: { rollbackTo: { revision: 0 } } });
  if (what === 'pause' || what === 'resume') herd.patchDeployment({ spec: { paused: what === 'pause' } });
  if (what === 'strategy') {
    const { spec } = herd.deployment;
    herd.deployment = { ...herd.deployment, spec: { ...spec, strategy: strategyOf(chance, habits) } };
  }
  return what === 'strategy' || (herd.deployment.spec.replicas ?? 0) > before;
}

/** The last word: a template that can come true, and nobody paused. */
export function relent(herd: Herd): void {
  const isBad = herd.deployment.spec.template.spec?.class?.name?.startsWith(BAD);
  herd.patchDeployment({ spec: { paused: null, rollbackTo: null } });
  if (isBad) herd.patchDeployment({ spec: { template: { spec: { class: { name: 'good' } } } } });
}
