import { test } from 'bun:test';
import { ANNOTATION_MARKED, ANNOTATION_PRIORITY, ANNOTATION_SCALED_BY_SCALER } from '../../schemas/keys.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import { expectGolden } from '../golden.ts';
import { Story } from './story.ts';

type Strategy = MachineDeployment['spec']['strategy'];

const rolling = (maxSurge: number | string, maxUnavailable: number | string): Strategy => ({
  type: 'RollingUpdate',
  rollingUpdate: { maxSurge, maxUnavailable },
});
const recreate: Strategy = { type: 'Recreate' };
const ofClass = (name: string) => ({ spec: { template: { spec: { class: { name } } } } });
const sized = (replicas: number) => ({ spec: { replicas } });
const begun = (replicas: number, strategy: Strategy, name = 'b') =>
  new Story({ replicas, strategy }).says(`class ${name}`, ofClass(name));

/** A scaler names some machines of the class. */
function named(story: Story, name: string, count: number): Story {
  const { timestamp } = story.herd;
  const marks = { metadata: { annotations: { [ANNOTATION_PRIORITY]: '1', [ANNOTATION_MARKED]: timestamp } } };
  const chosen = story.herd.machines.filter(({ spec }) => spec?.class?.name === name).slice(-count);
  for (const machine of chosen) story.herd.patchMachine(machine, marks);
  return story.patch({ metadata: { annotations: { [ANNOTATION_SCALED_BY_SCALER]: timestamp } } });
}

test.each([
  ['one-by-one', () => begun(3, rolling(1, 0))],
  ['by-shares', () => begun(8, rolling('25%', '25%'))],
  ['without-surge', () => begun(2, rolling(0, 1))],
  ['all-may-be-missing', () => begun(3, rolling(0, '100%'))],
  ['recreate', () => begun(3, recreate)],
  ['recreate-and-back', () => begun(3, recreate).passes(1).says('class a again', ofClass('a'))],
  ['scaled-up-meanwhile', () => begun(4, rolling(1, 0)).passes(3).says('6 replicas', sized(6))],
  ['scaled-down-meanwhile', () => begun(6, rolling(2, 0)).passes(3).says('3 replicas', sized(3))],
  ['back-in-the-middle', () => begun(4, rolling(1, 0)).passes(4).says('class a again', ofClass('a'))],
  ['never-comes-up', () => begun(3, rolling(1, 0), 'bad').passes(3).says('class b', ofClass('b'))],
  [
    'paused-edited-scaled-resumed',
    () =>
      new Story({ replicas: 2, strategy: rolling(1, 0) })
        .says('paused, class b, 4 replicas', { spec: { paused: true, replicas: 4, ...ofClass('b').spec } })
        .passes(3)
        .says('resumed', { spec: { paused: null } }),
  ],
  [
    'a-scaler-names-old-machines',
    () => named(begun(6, rolling(2, 0)).passes(2), 'a', 2).says('two of class a named, 4 replicas', sized(4)),
  ],
])('how a rollout goes on: %s', async (name, told) => {
  await expectGolden(`${import.meta.dir}/testdata/${name}.txt`, told().passes(30).text());
});
