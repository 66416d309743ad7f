import type { MachineDrainRule } from '../../schemas/machinedrainrule.ts';
import { byNamespace } from '../model/ownership.ts';
import { Cache } from '../runtime/watch/cache.ts';

/** A MachineDrainRule of the Machine's namespace. */
export const drainRule = (name: string, spec: MachineDrainRule['spec'], namespace = 'herd'): MachineDrainRule => ({
  apiVersion: 'drover.dev/v1alpha1',
  kind: 'MachineDrainRule',
  metadata: { name, namespace, uid: `uid-${name}`, resourceVersion: '1' },
  spec,
});

/** A cache that has listed these rules. */
export function rulesCache(rules: readonly MachineDrainRule[] = []): Cache<MachineDrainRule> {
  const cache = new Cache<MachineDrainRule>({ indexes: { namespace: byNamespace } });
  cache.reset([...rules], '1');
  return cache;
}
