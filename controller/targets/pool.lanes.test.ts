import { expect, test } from 'bun:test';
import { LABEL_CLUSTER } from '../../schemas/keys.ts';
import type { Environment } from '../framework/environment.ts';
import { laneOf } from '../model/target.ts';
import { FakeClock } from '../runtime/clock.fake.ts';
import { targetLanes } from './pool.ts';

// hack/decisions/0028 T5

/** How many of 100 workers find a lane, that wait for so many Clusters of each of some namespaces in turn. */
function taken(clusters: number, { count = 9, namespaces = 1, only = '' } = {}): number[] {
  const settings = { concurrentSyncs: 50, namespace: only } as Environment['settings'];
  const parts = { clock: new FakeClock(), settings, targets: { count } };
  const sharing = { askerOf: () => ({ priority: 0, flow: [] }), levelOf: () => 0 };
  const lanes = targetLanes(parts, { sharing, enqueue: () => {} });
  const enter = (namespace: string, at: number) => {
    const labels = { [LABEL_CLUSTER]: `c-${at % clusters}` };
    return lanes.enter(laneOf({ metadata: { namespace, name: `m-${at}`, labels } })) !== undefined;
  };
  const all = Array.from({ length: 100 }, (_, at) => at);
  return Array.from({ length: namespaces }, (_, of) => all.filter((at) => enter(`n-${of}`, at)).length);
}

test.each([
  ['one of many targets has an eighth', taken(1), [7]],
  ['many of one namespace have half', taken(8), [25]],
  ['those of the next namespace have half of the rest', taken(8, { namespaces: 7 }), [25, 12, 6, 3, 2, 1, 0]],
  ['the only target has all', taken(1, { count: 1 }), [50]],
  ['all targets of the only namespace have all', taken(8, { only: 'n-0' }), [56]],
])('of 50 workers %s', (_what, found, most) => expect(found).toEqual(most));
