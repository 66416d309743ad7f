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
/** In a merge patch: nothing of the one before stays. */
const alone = { type: 'Recreate', rollingUpdate: null };
const back = { spec: { rollbackTo: { revision: 0 } } };
const ofClass = (name: string) => ({ spec: { template: { spec: { class: { name } } } } });
const sized = (replicas: number) => ({ spec: { replicas } });
const stable = (replicas: number, strategy: Strategy) => new Story({ replicas, strategy });
const begun = (replicas: number, strategy: Strategy, name = 'b') =>
  stable(replicas, strategy).says(`class ${name}`, ofClass(name));

/** A machine is ready for two minutes before it is available, if that counts. */
const readyFor = (minReadySecondsPolicy: 'Honor' | 'Ignore') =>
  new Story({ replicas: 2, strategy: rolling(1, 0), minReadySeconds: 120, minReadySecondsPolicy });

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
  ['changed-again-in-the-middle', () => begun(4, rolling(1, 0)).passes(4).says('class c', ofClass('c'))],
  ['rolled-back', () => begun(3, rolling(1, 0)).passes(10).says('back to the one before', back)],
  ['rolled-back-in-the-middle', () => begun(4, rolling(1, 0)).passes(4).says('back to the one before', back)],
  [
    'paused-in-the-middle-scaled-resumed',
    () =>
      begun(4, rolling(1, 0))
        .passes(3)
        .says('paused', { spec: { paused: true } })
        .passes(2)
        .says('6 replicas', sized(6))
        .passes(3)
        .says('3 replicas', sized(3))
        .passes(3)
        .says('resumed', { spec: { paused: null } }),
  ],
  ['quota-has-no-room-above', () => stable(3, rolling(1, 0)).quota(3).says('class b', ofClass('b')).passes(3).quota(9)],
  ['quota-and-some-may-be-missing', () => stable(3, rolling(1, 1)).quota(3).says('class b', ofClass('b'))],
  ['old-ones-are-ill', () => stable(4, rolling(1, 1)).turns('a', 'Unknown', 2).says('class b', ofClass('b'))],
  ['an-old-one-fails', () => begun(4, rolling(1, 0)).passes(3).turns('a', 'Failed')],
  [
    'a-new-one-falls-ill',
    () => begun(4, rolling(1, 0)).passes(4).turns('b', 'Unknown').passes(3).turns('b', 'Running'),
  ],
  [
    'a-new-one-fails-before-it-ran',
    () => begun(3, rolling(1, 0), 'bad').passes(2).turns('bad', 'Failed').passes(3).says('class b', ofClass('b')),
  ],
  ['all-at-once', () => begun(3, rolling('100%', 0))],
  ['shares-are-rounded', () => begun(15, rolling('10%', '10%'))],
  ['one-of-one', () => begun(1, rolling('1%', '25%'))],
  ['recreate-scaled-in-the-middle', () => begun(3, recreate).leavesIn(3).passes(2).says('5 replicas', sized(5))],
  [
    'rolled-then-recreate',
    () =>
      begun(4, rolling(1, 0))
        .passes(4)
        .says('Recreate', { spec: { strategy: alone } }),
  ],
  [
    'recreate-then-rolled',
    () =>
      begun(3, recreate)
        .leavesIn(3)
        .passes(1)
        .says('RollingUpdate', { spec: { strategy: rolling(1, 0) } }),
  ],
  [
    'takes-too-long',
    () =>
      new Story({ replicas: 2, strategy: rolling(1, 0), progressDeadlineSeconds: 240 })
        .says('class bad', ofClass('bad'))
        .passes(2)
        .wakes(6)
        .says('class b', ofClass('b')),
  ],
  ['ready-for-a-while-honoured', () => readyFor('Honor').says('class b', ofClass('b')).wakes(9)],
  ['ready-for-a-while-ignored', () => readyFor('Ignore').says('class b', ofClass('b'))],
  [
    'to-0-and-back-in-the-middle',
    () => begun(3, rolling(1, 0)).passes(4).says('0 replicas', sized(0)).passes(3).says('3 replicas', sized(3)),
  ],
  [
    'no-history',
    () => new Story({ replicas: 2, strategy: rolling(2, 0), revisionHistoryLimit: 0 }).says('class b', ofClass('b')),
  ],
  ['vms-go-slowly', () => stable(3, rolling(1, 0)).leavesIn(3).says('class b', ofClass('b'))],
  ['vms-go-slowly-without-surge', () => stable(2, rolling(0, 1)).leavesIn(3).says('class b', ofClass('b'))],
  ['somebody-edits-the-newest-set', () => stable(2, rolling(1, 0)).editsSet('x')],
  [
    'another-surge-in-the-middle',
    () =>
      begun(6, rolling(1, 0))
        .passes(3)
        .says('maxSurge 3', { spec: { strategy: rolling(3, 0) } }),
  ],
  [
    'scaled-down-while-new-ones-come',
    () =>
      begun(8, rolling(0, '25%'), 'bad').passes(3).says('6 replicas', sized(6)).passes(2).says('class b', ofClass('b')),
  ],
  [
    'a-scaler-names-new-machines',
    () => named(begun(6, rolling(2, 0)).passes(4), 'b', 2).says('two of class b named, 4 replicas', sized(4)),
  ],
  [
    'another-class-and-size-at-once',
    () => stable(2, rolling(1, 0)).says('class b, 4 replicas', { spec: { replicas: 4, ...ofClass('b').spec } }),
  ],
])('how a rollout goes on: %s', async (name, told) => {
  await expectGolden(`${import.meta.dir}/testdata/${name}.txt`, told().passes(30).text());
});
