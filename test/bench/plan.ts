import { plan } from '../../controller/machinedeployment/flow/flow.ts';
import { statusOf } from '../../controller/machinedeployment/flow/status.ts';
import { setOf, view } from '../../controller/machinedeployment/flow/view.fixture.ts';
import type { MachineDeploymentView } from '../../controller/machinedeployment/flow/view.ts';
import type { Node } from '../../controller/runtime/k8s/core.ts';
import {
  ANNOTATION_PREFER_NO_SCHEDULE,
  ANNOTATION_SCALE_DOWN_DISABLED,
  ANNOTATION_SCALE_DOWN_DISABLED_BY_MCM,
} from '../../schemas/keys.ts';
import { at, machineDeployment, node } from '../fixtures/objects.ts';
import { type Figures, quantile } from './figures.ts';

const SETS = 100;
const MACHINES = 10_000;
const ROUNDS = { warm: 30, measured: 100 };

/** Plans for one deployment of 100 sets and 10,000 machines in the middle of a rollout, whose Nodes are prepared. */
export async function planBench(): Promise<Figures> {
  const seen = rolling();
  const { step, outcome } = plan(seen);
  if (step !== 'RolloutComplete' || outcome.kind !== 'wait')
    throw new Error(`it is not in the middle of a rollout: ${step}`);
  return {
    plan_milliseconds: measured(() => plan(seen)),
    status_milliseconds: measured(() => statusOf(seen, at(60))),
  };
}

/** CPU time of this process: the median of all rounds. */
function measured(run: () => unknown): Figures {
  for (let round = 0; round < ROUNDS.warm; round += 1) run();
  const times = Array.from({ length: ROUNDS.measured }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return { p50: quantile(times, 0.5), p90: quantile(times, 0.9) };
}

/** The newest set has half of the machines, of which one is not available yet; the others share the rest. */
function rolling(): MachineDeploymentView {
  const half = MACHINES / 2;
  const marks = {
    'deployment.kubernetes.io/revision': `${SETS}`,
    'machinedeployment.clusters.x-k8s.io/revision': `${SETS}`,
  };
  const deployment = machineDeployment({
    metadata: { annotations: marks },
    spec: {
      replicas: MACHINES,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    },
  });
  const sets = Array.from({ length: SETS }, (_, index) => {
    const isNew = index === SETS - 1;
    const owner = isNew ? deployment : olderThan(deployment, index);
    const wants = isNew ? half + 1 : Math.floor(half / (SETS - 1)) + (index < half % (SETS - 1) ? 1 : 0);
    const fact = setOf(owner, `set-${index}`, isNew ? { wants, available: half, others: 1 } : { wants });
    const annotations = { ...fact.set.metadata.annotations, ...marks, [ANNOTATION_PREFER_NO_SCHEDULE]: 'True' };
    if (isNew) Object.assign(fact.set.metadata, { annotations: { ...fact.set.metadata.annotations, ...marks } });
    else
      Object.assign(fact.set.metadata, {
        annotations: { ...annotations, 'deployment.kubernetes.io/revision': `${index}` },
      });
    return fact;
  });
  const nodes = new Map(
    sets.flatMap(({ machines }, index) =>
      machines.map(({ metadata }) => [metadata.uid ?? '', prepared(metadata.name, index < SETS - 1)] as const),
    ),
  );
  return { ...view(deployment, sets), nodes };
}

const olderThan = (deployment: ReturnType<typeof machineDeployment>, index: number) =>
  machineDeployment({
    spec: { ...deployment.spec, template: { spec: { class: { name: `class-${index}` } } } } as never,
  });

/** A Node as it is while machines are rolled. */
function prepared(name: string, isOld: boolean): Node {
  const annotations = { [ANNOTATION_SCALE_DOWN_DISABLED]: 'true', [ANNOTATION_SCALE_DOWN_DISABLED_BY_MCM]: 'true' };
  const taint = { key: ANNOTATION_PREFER_NO_SCHEDULE, value: 'True', effect: 'PreferNoSchedule' };
  return node({ metadata: { name, uid: `uid-${name}`, annotations }, spec: isOld ? { taints: [taint] } : {} });
}
