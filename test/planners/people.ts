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
}

/** Another strategy, with limits that are never both 0. */
export function strategyOf(chance: Chance, { strategies }: Habits): Strategy {
  const type = chance.oneOf(strategies);
  if (type === 'Recreate') return { type };
  const maxSurge = chance.oneOf([0, 1, 2, 3, '25%', '100%']);
  const maxUnavailable = chance.oneOf(maxSurge === 0 ? [1, 2, '25%', '100%'] : [0, 1, 2, '25%', '100%']);
  return { type, rollingUpdate: { maxSurge, maxUnavailable } };
}

/** Names a class, of a few. */
function another(chance: Chance, { bad }: Habits): object {
  const name = `${bad && chance.happens(0.3) ? BAD : 'good'}${chance.whole(0, 3)}`;
  return { spec: { template: { spec: { class: { name } } } } };
}

/** Everything that people do, with how often. */
const WEIGHTS = { template: 2, scale: 1, strategy: 1, back: 1, pause: 1, resume: 1 } as const;

/** Somebody does something. Answers whether the promises about what is available begin anew. */
export function meddle(herd: Herd, chance: Chance, habits: Habits): boolean {
  const what = chance.weighted({ ...WEIGHTS, ...(!habits.pause && { pause: 0, resume: 0 }) });
  if (what === 'template') herd.patchDeployment(another(chance, habits));
  if (what === 'scale') herd.patchDeployment({ spec: { replicas: chance.whole(0, 7) } });
  if (what === 'back') herd.patchDeployment({ spec: { rollbackTo: { revision: 0 } } });
  if (what === 'pause' || what === 'resume') herd.patchDeployment({ spec: { paused: what === 'pause' } });
  if (what === 'strategy') {
    const { spec } = herd.deployment;
    herd.deployment = { ...herd.deployment, spec: { ...spec, strategy: strategyOf(chance, habits) } };
  }
  return what === 'scale' || what === 'strategy';
}

/** The last word: a template that can come true, and nobody paused. */
export function relent(herd: Herd): void {
  const isBad = herd.deployment.spec.template.spec?.class?.name?.startsWith(BAD);
  herd.patchDeployment({ spec: { paused: null, rollbackTo: null } });
  if (isBad) herd.patchDeployment({ spec: { template: { spec: { class: { name: 'good' } } } } });
}
