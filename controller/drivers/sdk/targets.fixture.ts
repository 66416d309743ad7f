import type { Api } from '../../runtime/client/api.ts';
import type { DriverTarget, DriverTargets } from './targets.ts';

/** A default target and no other, or none at all; of the API as much as the test has. */
export function onlyTarget(
  target: (Pick<DriverTarget, 'nodes' | 'pods'> & { api: Partial<Api> }) | undefined,
): DriverTargets {
  const api = target?.api as Api;
  return {
    home: target && api,
    follow: (opened, signal) => target && opened({ ...target, api, cluster: '', signal }),
  };
}
