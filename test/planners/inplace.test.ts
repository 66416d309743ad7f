import { test } from 'bun:test';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import { expectGolden } from '../golden.ts';
import { Story } from './story.ts';

type Strategy = NonNullable<MachineDeployment['spec']['strategy']>;
type InPlace = NonNullable<Strategy['inPlaceUpdate']>;

/** One after the other, without another machine, unless told otherwise. */
const inPlace = (limits: Partial<InPlace> = {}): Strategy => ({
  type: 'InPlaceUpdate',
  inPlaceUpdate: { maxSurge: 0, maxUnavailable: 1, orchestrationType: 'Auto', ...limits },
});
const ofClass = (name: string) => ({ spec: { template: { spec: { class: { name } } } } });
const sized = (replicas: number) => ({ spec: { replicas } });
const stable = (replicas: number, limits?: Partial<InPlace>) => new Story({ replicas, strategy: inPlace(limits) });
const begun = (replicas: number, limits?: Partial<InPlace>) => stable(replicas, limits).says('class b', ofClass('b'));
const [paused, resumed] = [{ spec: { paused: true } }, { spec: { paused: null } }];
const back = { spec: { rollbackTo: { revision: 0 } } };
const byHand = { orchestrationType: 'Manual' } as const;

// hack/decisions/0051 U19: those in which the class changes again, or goes back.
test.each([
  ['one-after-the-other', () => begun(3)],
  ['two-may-be-missing', () => begun(5, { maxUnavailable: 2 })],
  ['by-shares', () => begun(8, { maxUnavailable: '25%' })],
  ['with-one-above', () => begun(3, { maxSurge: 1, maxUnavailable: 0 })],
  ['by-hand', () => begun(3, byHand).passes(3).selects(2).passes(4).selects(1)],
  ['one-fails-and-is-replaced', () => stable(3).fails(1).says('class b', ofClass('b'))],
  [
    'one-fails-with-one-above',
    () => stable(3, { maxSurge: 1, maxUnavailable: 0 }).fails(1).says('class b', ofClass('b')),
  ],
  ['all-fail', () => stable(3, { maxUnavailable: 2 }).fails(9).says('class b', ofClass('b')).passes(14)],
  ['one-never-ends', () => stable(3).hangs(1).says('class b', ofClass('b')).wakes(36)],
  ['one-fails-by-hand', () => stable(3, byHand).fails(1).says('class b', ofClass('b')).passes(1).selects(2)],
  [
    'one-fails-and-the-class-changes',
    () => stable(3).fails(1).says('class b', ofClass('b')).passes(3).says('class c', ofClass('c')),
  ],
  ['one-falls-ill-that-waits', () => begun(4).passes(2).turnsNodes('a', 'False').passes(3).turnsNodes('a', 'True')],
  ['changed-again-in-the-middle', () => begun(4).passes(2).says('class c', ofClass('c'))],
  [
    'changed-again-while-paused',
    () => begun(3).passes(2).says('paused', paused).wakes(2).says('class c', ofClass('c')).says('resumed', resumed),
  ],
  ['paused-in-the-middle', () => begun(3).passes(2).says('paused', paused).wakes(4).says('resumed', resumed)],
  ['rolled-back-in-the-middle', () => begun(4).passes(2).says('back to the one before', back)],
  ['rolled-back-before-any-is-done', () => begun(3).passes(1).says('back to the one before', back)],
  ['scaled-down-in-the-middle', () => begun(5).passes(2).says('3 replicas', sized(3))],
  ['scaled-down-below-what-is-done', () => begun(5).passes(4).says('2 replicas', sized(2))],
  ['scaled-down-by-hand', () => begun(4, byHand).passes(1).selects(1).passes(1).says('2 replicas', sized(2))],
  ['scaled-up-in-the-middle', () => begun(3).passes(2).says('5 replicas', sized(5))],
  [
    'paused-scaled-down-resumed',
    () => begun(5).passes(2).says('paused', paused).says('3 replicas', sized(3)).wakes(3).says('resumed', resumed),
  ],
])('how an update in place goes on: %s', async (name, told) => {
  await expectGolden(`${import.meta.dir}/testdata/inplace/${name}.txt`, told().passes(30).text());
});
