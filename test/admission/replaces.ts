import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { apiVersion } from '../../schemas/kinds.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { revisionOf } from './among.ts';
import type { AdmissionCase } from './case.ts';
import { smallClass } from './facts.ts';

type Build<T> = (change?: (made: T) => void) => T;

const large: KubeObject = { ...smallClass, metadata: { name: 'large' } };

/** A set of the deployment `herd` that has machines of this class. */
export function setWith(revision: number, replicas: number, className = 'small'): MachineSet {
  const set = revisionOf('herd', revision);
  const template = { ...set.spec.template, spec: { class: { kind: 'MachineClass', name: className } } };
  return { ...set, spec: { ...set.spec, replicas, template }, status: { replicas } };
}

const among = (...sets: readonly KubeObject[]): readonly KubeObject[] => [smallClass, large, ...sets];

/** The deployment `herd` with three machines wanted, of another class, and with what else is changed. */
const herds =
  (build: Build<MachineDeployment>) =>
  (className: string, more: Partial<MachineDeployment['spec']> = {}) =>
    build((made) => {
      made.spec.replicas = 3;
      made.spec.template.spec = { class: { kind: 'MachineClass', name: className } };
      Object.assign(made.spec, more);
    });

/** Changes of the template of a deployment `herd`. */
export function replacingCases(build: Build<MachineDeployment>): AdmissionCase<MachineDeployment>[] {
  const herd = herds(build);
  const { template } = herd('small').spec;
  const kept = (spec: object) => herd('small', { template: { ...template, spec: { ...template.spec, ...spec } } });
  const warned = ['template-replaces'];
  const three = among(setWith(1, 3));
  return [
    { what: 'another class', before: herd('small'), now: herd('large'), among: three, refused: [], warned },
    {
      what: 'an annotation of the template, as `kubectl rollout restart` sets it',
      before: herd('small'),
      now: herd('small', {
        template: { ...template, metadata: { ...template.metadata, annotations: { again: '1' } } },
      }),
      among: three,
      refused: [],
      warned,
    },
    {
      what: 'a setting alone',
      before: herd('small'),
      now: kept({ deletionPolicy: 'Retain' }),
      among: three,
      refused: [],
      warned,
    },
    {
      what: 'a field that lives',
      before: herd('small'),
      now: kept({ drainTimeout: '1h' }),
      among: three,
      refused: [],
      warned,
    },
    { what: 'another size', before: herd('small'), now: herd('small', { replicas: 5 }), among: three, refused: [] },
    { what: 'another class without machines', before: herd('small'), now: herd('large'), among: among(), refused: [] },
    {
      what: 'another class beside machines of another deployment',
      before: herd('small'),
      now: herd('large'),
      among: among({ ...setWith(1, 3), metadata: revisionOf('flock', 1).metadata }),
      refused: [],
    },
    {
      what: 'another class of a deployment that is to have none',
      before: herd('small'),
      now: herd('large', { replicas: 0 }),
      among: three,
      refused: [],
    },
    {
      what: 'a rollback that replaces machines',
      before: herd('large'),
      now: herd('large', { rollbackTo: { revision: 1 } }),
      among: among(setWith(1, 0), setWith(2, 3, 'large')),
      refused: [],
      warned: ['rollback-replaces'],
    },
    {
      what: 'a rollback that the controller carries out',
      before: herd('large', { rollbackTo: { revision: 1 } }),
      now: herd('small'),
      among: among(setWith(1, 0), setWith(2, 3, 'large')),
      refused: [],
    },
  ];
}

/** Changes of the template of a set. */
export function setReplacingCases(build: Build<MachineSet>): AdmissionCase<MachineSet>[] {
  const deployment = { apiVersion, kind: 'MachineDeployment', metadata: { name: 'herd', uid: '1' } };
  const made = (className: string, count: number, more: Partial<MachineSet['metadata']> = {}) =>
    build((set) => {
      set.metadata = { ...set.metadata, ...more };
      set.spec.template.spec = { class: { kind: 'MachineClass', name: className } };
      set.status = { replicas: count };
    });
  const owner = { apiVersion, kind: 'MachineDeployment', name: 'herd', uid: '1', controller: true };
  const its = { ownerReferences: [owner] };
  const { spec } = made('small', 3);
  const herd = { ...deployment, spec: { replicas: 3, selector: spec.selector, template: spec.template } } as KubeObject;
  const retained = (set: MachineSet): MachineSet => {
    const { template } = set.spec;
    return {
      ...set,
      spec: { ...set.spec, template: { ...template, spec: { ...template.spec, deletionPolicy: 'Retain' } } },
    };
  };
  const warned = ['set-template-replaces'];
  const beside = among(herd);
  return [
    { what: 'another class', before: made('small', 3), now: made('large', 3), among: beside, refused: [], warned },
    {
      what: 'another class without machines',
      before: made('small', 0),
      now: made('large', 0),
      among: beside,
      refused: [],
    },
    {
      what: 'a setting alone',
      before: made('small', 3),
      now: retained(made('small', 3)),
      among: beside,
      refused: [],
      warned,
    },
    {
      what: 'another class of a set of a deployment',
      before: made('small', 3, its),
      now: made('large', 3, its),
      among: beside,
      refused: [],
      warned,
    },
    {
      what: 'a setting that its deployment hands on',
      before: made('small', 3, its),
      now: retained(made('small', 3, its)),
      among: beside,
      refused: [],
    },
  ];
}
