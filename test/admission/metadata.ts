import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import { ANNOTATION_CLASS } from '../../schemas/keys.ts';
import type { AdmissionCase } from './case.ts';
import { usualObjects } from './facts.ts';
import { isMade, makerOf, ownedBy } from './maker.ts';

const OVERRIDE = 'protected.drover.dev/reconcile-priority';
const CREATED_BY = 'drover.dev/created-by';
const VM_OPERATOR_OVERRIDE = 'vmoperator.vmware.com.protected/reconcile-priority';

const DELETE_CHECKS = ['delete.check.drover.dev/billing', 'delete.check.vmoperator.vmware.com/billing'];
const PAUSED = 'vmoperator.vmware.com/paused';

type Build<T extends KubeObject> = (change?: (made: T) => void) => T;

/** What holds for the metadata of every kind: protected keys, and the range of an override. */
export function metadataCases<T extends KubeObject>(build: Build<T>): AdmissionCase<T>[] {
  const annotated = (annotations: Record<string, string>) =>
    build((made) => {
      made.metadata.annotations = annotations;
    });
  const labelled = (labels: Record<string, string>) =>
    build((made) => {
      made.metadata.labels = { ...made.metadata.labels, ...labels };
    });
  return [
    { what: 'an override by its owner', now: annotated({ [OVERRIDE]: '5' }), refused: ['protected-priority'] },
    { what: 'an override by an operator', as: 'operator', now: annotated({ [OVERRIDE]: '5' }), refused: [] },
    {
      what: 'an override changed by its owner',
      before: annotated({ [OVERRIDE]: '5' }),
      now: annotated({ [OVERRIDE]: '6' }),
      refused: ['protected-priority'],
    },
    {
      what: 'an override removed by its owner',
      before: annotated({ [OVERRIDE]: '5' }),
      now: build(),
      refused: ['protected-priority'],
    },
    {
      what: 'an override left alone by its owner',
      before: annotated({ [OVERRIDE]: '5' }),
      now: annotated({ [OVERRIDE]: '5', 'example.io/note': 'mine' }),
      refused: [],
    },
    {
      what: "VM Operator's override by its owner",
      before: build(),
      now: annotated({ [VM_OPERATOR_OVERRIDE]: '-100' }),
      refused: ['protected-vm-operator-priority'],
    },
    {
      what: "VM Operator's override by an operator",
      as: 'operator',
      now: annotated({ [VM_OPERATOR_OVERRIDE]: '-100' }),
      refused: [],
    },
    {
      what: 'an override out of range by an operator',
      as: 'operator',
      before: build(),
      now: annotated({ [OVERRIDE]: '101', [VM_OPERATOR_OVERRIDE]: '1.5' }),
      refused: ['priority-in-range', 'priority-in-range'],
    },
    {
      what: 'an override out of range by its owner',
      now: annotated({ [OVERRIDE]: 'urgent' }),
      refused: ['priority-in-range', 'protected-priority'],
    },
    {
      what: 'an override that was out of range already, and another in range by an operator',
      as: 'operator',
      before: annotated({ [OVERRIDE]: '101' }),
      now: annotated({ [OVERRIDE]: '101', [VM_OPERATOR_OVERRIDE]: '7' }),
      refused: [],
    },
    ...DELETE_CHECKS.flatMap((key): AdmissionCase<T>[] => [
      { what: `${key} by its owner`, now: annotated({ [key]: 'billing' }), refused: ['protected-delete-check'] },
      { what: `${key} by an operator`, as: 'operator', before: build(), now: annotated({ [key]: 'b' }), refused: [] },
      {
        what: `${key} lifted by its owner`,
        before: annotated({ [key]: 'billing' }),
        now: build(),
        refused: ['protected-delete-check'],
      },
      {
        what: `${key} changed by its owner`,
        before: annotated({ [key]: 'billing' }),
        now: annotated({ [key]: '' }),
        refused: ['protected-delete-check'],
      },
    ]),
    {
      what: 'a label of pause by its owner',
      before: build(),
      now: labelled({ [PAUSED]: 'admin' }),
      refused: ['protected-pause'],
    },
    {
      what: 'a label of pause by an operator',
      as: 'operator',
      before: build(),
      now: labelled({ [PAUSED]: 'admin' }),
      refused: [],
    },
    {
      what: 'what everybody may set and lift by hand',
      now: annotated({
        [PAUSED]: '',
        'cluster.x-k8s.io/paused': '',
        'pre-drain.delete.hook.machine.cluster.x-k8s.io/etcd': 'backup',
        'safety.machine.sapcloud.io/unfreeze': 'true',
      }),
      refused: [],
    },
    { what: 'the label of a freeze by its owner', before: labelled({ freeze: 'True' }), now: build(), refused: [] },
    {
      what: 'a protected label of ours by its owner',
      now: labelled({ 'protected.drover.dev/team': 'a' }),
      refused: ['protected-own'],
    },
    {
      what: 'what a machine remembers of its class, which its deletion goes by, by its owner',
      before: annotated({ [ANNOTATION_CLASS]: '{}' }),
      now: annotated({ [ANNOTATION_CLASS]: '{"provider":"elsewhere"}' }),
      refused: ['protected-own'],
    },
    {
      what: 'what a machine remembers of its class, left as it is',
      before: annotated({ [ANNOTATION_CLASS]: '{}' }),
      now: annotated({ [ANNOTATION_CLASS]: '{}', other: 'x' }),
      refused: [],
    },
    {
      what: 'a protected label of ours by an operator',
      as: 'operator',
      before: build(),
      now: labelled({ 'protected.drover.dev/team': 'a' }),
      refused: [],
    },
    {
      what: 'a key that is protected by convention by its owner',
      before: build(),
      now: annotated({ 'example.io.protected/door': 'open' }),
      refused: ['protected-convention'],
    },
    {
      what: 'a key that is protected by convention by an operator',
      as: 'operator',
      now: annotated({ 'example.io.protected/door': 'open' }),
      refused: [],
    },
    {
      what: 'keys that only look protected by its owner',
      now: annotated({ 'unprotected.io/protected': 'a', 'protected.example.io/b': 'c', 'example.io/b.protected': 'd' }),
      refused: [],
    },
    ...creatorCases(build),
  ];
}

/** hack/decisions/0028 W11, T13: who made an object stays as it is; what a set or deployment made says whom its owner is made for. */
function creatorCases<T extends KubeObject>(build: Build<T>): AdmissionCase<T>[] {
  const by = (creator: string) =>
    build((made) => {
      made.metadata.annotations = { [CREATED_BY]: creator };
    });
  const rule = 'created-by-stays';
  const change = { before: ownedBy(by('alice')), now: ownedBy(by('bob')) };
  const cases: AdmissionCase<T>[] = [
    { what: 'its creator is left alone', before: by('alice'), now: by('alice'), refused: [] },
    { what: 'no creator, written as an empty one', before: build(), now: by(''), refused: [] },
    { what: 'another creator', before: by('alice'), now: by('bob'), refused: [rule] },
    { what: 'a creator found later', before: build(), now: by('bob'), refused: [rule] },
    { what: 'the creator of an owner that is not there', ...change, refused: [rule] },
    {
      what: 'another creator, with an owner of another kind',
      before: by('alice'),
      now: ownedBy(by('bob'), { kind: 'ConfigMap' }),
      refused: [rule],
    },
  ];
  if (!isMade(build())) return cases;
  return [
    ...cases,
    {
      what: 'the creator of its owner, copied by a controller',
      as: 'operator',
      ...change,
      among: [...usualObjects, makerOf(by('bob'))],
      refused: [],
    },
    {
      what: 'another creator than that of its owner',
      ...change,
      among: [...usualObjects, makerOf(by('alice'))],
      refused: [rule],
    },
  ];
}
