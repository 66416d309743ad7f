import type { Environment } from '../framework/environment.ts';
import type { Api } from '../runtime/client/api.ts';
import { Reach } from '../runtime/health/probe.ts';
import { namespaces, nodes } from '../runtime/k8s/core.ts';

/** Which server is followed, and since when what it shows was looked after without a break (milliseconds; 0: always). */
export interface Followed {
  name: string;
  /** A client without a limiter: a probe must not queue behind other calls. */
  api: Api;
  /** What clocks count from if the first probe succeeds: the present moment when nobody looked for a while. */
  from: number;
  signal: AbortSignal;
}

/** Follows the API server that holds the Machines, from now on. */
export const reachControl = (environment: Environment, followed: Followed): Reach =>
  follow(environment, followed, (options) => followed.api.get(namespaces, { name: 'kube-system' }, options));

/** The same for one that holds Nodes. The Node need not be there: that it is not is an answer. */
export const reachTarget = (environment: Environment, followed: Followed): Reach =>
  follow(environment, followed, (options) => followed.api.get(nodes, { name: 'drover-probe' }, options));

function follow(
  { settings, clock, log }: Environment,
  { name, from, signal }: Followed,
  probe: ConstructorParameters<typeof Reach>[0]['probe'],
): Reach {
  const {
    machineSafetyApiserverStatuscheckTimeout: unreachableAfterMs,
    machineSafetyApiserverStatuscheckPeriod: periodMs,
  } = settings;
  const reach = new Reach({ clock, log, name, probe, unreachableAfterMs, periodMs, from });
  void reach.run(signal);
  return reach;
}
