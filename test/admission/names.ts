import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { AdmissionCase } from './case.ts';

type Build<T extends KubeObject> = (change?: (made: T) => void) => T;

const named = <T extends KubeObject>(build: Build<T>, name: string): T =>
  build(({ metadata }) => {
    metadata.name = name;
  });

/** Of kinds whose name becomes a label. */
export const shortNameCases = <T extends KubeObject>(build: Build<T>): AdmissionCase<T>[] => [
  { what: 'a name that a label can carry', now: named(build, `a${'1'.repeat(50)}`), refused: [] },
  { what: 'a name that no label can carry', now: named(build, `a${'1'.repeat(63)}`), refused: ['name-short'] },
];

/** Of kinds whose machines are called after them; `room` is for how many characters. */
export const machineNameCases = <T extends KubeObject>(build: Build<T>, room: number): AdmissionCase<T>[] => [
  { what: 'a name that machines carry whole', now: named(build, 'b'.repeat(room)), refused: [] },
  {
    what: 'a name that is cut in those of machines',
    now: named(build, 'b'.repeat(room + 1)),
    refused: [],
    warned: ['machine-names-whole'],
  },
  {
    what: 'a name that is cut at a dot',
    now: named(build, `${'b'.repeat(56)}.a`),
    refused: ['machine-names-valid'],
  },
];
