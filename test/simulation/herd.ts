import type { Chance } from './chance.ts';
import { USER_DATA } from './tokens.ts';

/** Name of the only deployment. */
export const POOL = 'pool';

/** Some herds are large enough for zones to matter: how often, how many machines they have, and others at the most. */
export const LARGE = { rate: 0.12, most: 8, usual: 4 };

/** What the class names: user data that asks for a token, where there is a cluster to join. */
export const cloudSecretOf = ({ joins }: { joins: boolean }) => ({
  metadata: { name: 'cloud' },
  data: { key: btoa('0'), userData: btoa(joins ? USER_DATA : 'stands alone') },
});

/** The only class. */
export const classOf = () => ({
  apiVersion: 'machine.sapcloud.io/v1alpha1',
  kind: 'MachineClass',
  metadata: { name: 'small' },
  provider: 'sim',
  providerSpec: { size: 1 },
  secretRef: { name: 'cloud', namespace: 'herd' },
});

function strategyOf(chance: Chance): object {
  const maxSurge = chance.whole(0, 2);
  const limits = { maxSurge, maxUnavailable: chance.whole(maxSurge === 0 ? 1 : 0, 1) };
  const type = chance.weighted({ RollingUpdate: 6, InPlaceUpdate: 3, Recreate: 2 });
  if (type === 'InPlaceUpdate') return { type, inPlaceUpdate: { ...limits, orchestrationType: 'Auto' } };
  return type === 'Recreate' ? { type } : { type, rollingUpdate: limits };
}

/** Now and then somebody else has a finalizer on each machine, and never takes it off (hack/decisions/0051 S36, S37). */
const keptOf = (chance: Chance): object => (chance.happens(0.2) ? { finalizers: ['example.com/audit'] } : {});

/** The only deployment; people ask for `most` machines at the most. */
export function poolOf(chance: Chance, most: number): object {
  const labels = { pool: POOL, release: 'r0' };
  return {
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineDeployment',
    metadata: { name: POOL },
    spec: {
      replicas: most === LARGE.most ? most : chance.whole(1, 3),
      selector: { matchLabels: { pool: POOL } },
      strategy: strategyOf(chance),
      template: { metadata: { labels, ...keptOf(chance) }, spec: { class: { kind: 'MachineClass', name: 'small' } } },
    },
  };
}
