import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { revisionOf, setOf } from './among.ts';
import type { AdmissionCase } from './case.ts';
import { smallClass } from './facts.ts';

type Build<T> = (change?: (made: T) => void) => T;

/** Selectors that meet the machines of other sets. */
export function overlapCases<T extends MachineSet | MachineDeployment>(build: Build<T>): AdmissionCase<T>[] {
  const others = (...sets: MachineSet[]) => [smallClass, ...sets];
  return [
    {
      what: 'a selector that takes machines of other sets',
      now: build(),
      among: others(
        setOf('flock', { app: 'flock' }),
        ...['a', 'b', 'c', 'd'].map((tier) => setOf(`other-${tier}`, { app: 'herd', tier })),
      ),
      refused: [],
      warned: ['selector-takes-others'],
    },
    {
      what: 'a selector beside those of other sets',
      now: build(),
      among: others(setOf('flock', { app: 'flock' }), setOf('pen', { tier: 'herd' })),
      refused: [],
    },
    // hack/decisions/0028 T10
    {
      what: 'a selector of as many parts as it may have, among more sets than are compared',
      now: build((made) => {
        const more = Array.from({ length: 99 }, (_, at) => ({ key: `x-${at}`, operator: 'DoesNotExist' as const }));
        made.spec.selector = { ...made.spec.selector, matchExpressions: more };
      }),
      among: others(...Array.from({ length: 300 }, (_, at) => setOf(`flock-${at}`, { app: 'flock' }))),
      refused: [],
      warned: ['selector-takes-others'],
    },
    {
      what: 'more replicas of one that has taken machines of other sets for long',
      before: build(),
      now: build((made) => {
        made.spec.replicas = 5;
      }),
      among: others(setOf('other', { app: 'herd' })),
      refused: [],
    },
  ];
}

/** Rollbacks of a deployment `herd`. */
export function rollbackCases(build: Build<MachineDeployment>): AdmissionCase<MachineDeployment>[] {
  const to = (rollbackTo: { revision?: number }) =>
    build((made) => {
      made.spec.rollbackTo = rollbackTo;
    });
  const among = [smallClass, revisionOf('herd', 2), revisionOf('herd', 5), revisionOf('other', 7)];
  const target = ['rollback-target'];
  return [
    { what: 'a rollback to a revision', before: build(), now: to({ revision: 2 }), among, refused: [] },
    { what: 'a rollback to the revision before', before: build(), now: to({ revision: 0 }), among, refused: [] },
    { what: 'a rollback to no revision in particular', before: build(), now: to({}), among, refused: [] },
    {
      what: "a rollback to another deployment's revision",
      before: build(),
      now: to({ revision: 7 }),
      among: [...among, setOf('loose', { app: 'loose' })],
      refused: target,
    },
    {
      what: 'a rollback to the revision before the first',
      before: build(),
      now: to({ revision: 0 }),
      among: [smallClass, revisionOf('herd', 2)],
      refused: target,
    },
    { what: 'a rollback of what is new', now: to({ revision: 1 }), refused: target },
    { what: 'a rollback that is done', before: to({ revision: 2 }), now: build(), among: [smallClass], refused: [] },
  ];
}
