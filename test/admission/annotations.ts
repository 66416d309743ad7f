import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import {
  ANNOTATION_CREATION_TIMEOUT,
  ANNOTATION_MARKED,
  ANNOTATION_PRESERVE,
  ANNOTATION_PRIORITY,
  ANNOTATION_TRIGGER_DELETION,
} from '../../schemas/keys.ts';
import type { AdmissionCase } from './case.ts';

type Build<T extends KubeObject> = (change?: (made: T) => void) => T;

const annotated = <T extends KubeObject>(build: Build<T>, annotations: Record<string, string>): T =>
  build(({ metadata }) => {
    metadata.annotations = annotations;
  });

/** Of every kind that a time-out is copied to. */
export const creationTimeoutCases = <T extends KubeObject>(build: Build<T>): AdmissionCase<T>[] => [
  { what: 'time to be created', now: annotated(build, { [ANNOTATION_CREATION_TIMEOUT]: '1h30m' }), refused: [] },
  ...['30', '', '0s', '-5m'].map(
    (text): AdmissionCase<T> => ({
      what: `“${text}” as time to be created`,
      now: annotated(build, { [ANNOTATION_CREATION_TIMEOUT]: text }),
      refused: ['creation-timeout'],
    }),
  ),
];

/** Of Machines. */
export const scalerMarkCases = <T extends KubeObject>(build: Build<T>): AdmissionCase<T>[] => [
  {
    what: 'the marks of a scaler',
    now: annotated(build, { [ANNOTATION_PRIORITY]: '1', [ANNOTATION_MARKED]: '2026-01-31T08:00:00Z' }),
    refused: [],
  },
  {
    what: 'marks that nobody can read',
    now: annotated(build, { [ANNOTATION_PRIORITY]: 'first', [ANNOTATION_MARKED]: '2026-02-31' }),
    refused: [],
    warned: ['marked-for-deletion', 'deletion-priority'],
  },
];

/** Of Machines. */
export const preserveCases = <T extends KubeObject>(build: Build<T>): AdmissionCase<T>[] => [
  ...['now', 'when-failed', 'auto-preserved', 'false', ''].map(
    (text): AdmissionCase<T> => ({
      what: `“${text}” as preservation`,
      now: annotated(build, { [ANNOTATION_PRESERVE]: text }),
      refused: [],
    }),
  ),
  {
    what: 'a preservation that nobody knows',
    now: annotated(build, { [ANNOTATION_PRESERVE]: 'yes' }),
    refused: [],
    warned: ['preserve'],
  },
];

/** Of MachineDeployments. */
export const triggerDeletionCases = <T extends KubeObject>(build: Build<T>): AdmissionCase<T>[] => [
  ...['', 'm1,m2', 'm1~2026-01-31T08:00:00Z,m2~2026-01-31T08:00:00+01:00'].map(
    (text): AdmissionCase<T> => ({
      what: `“${text}” as machines to be gone`,
      now: annotated(build, { [ANNOTATION_TRIGGER_DELETION]: text }),
      refused: [],
    }),
  ),
  ...['m1, m2', 'm1~yesterday', 'm1~2026-01-31T08:00:00Z~m2'].map(
    (text): AdmissionCase<T> => ({
      what: `“${text}” as machines to be gone`,
      now: annotated(build, { [ANNOTATION_TRIGGER_DELETION]: text }),
      refused: [],
      warned: ['trigger-deletion'],
    }),
  ),
];
