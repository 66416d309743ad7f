import type { KubeObject } from '../../controller/runtime/object.ts';
import type { AdmissionCase } from './case.ts';

const OVERRIDE = 'protected.drover.dev/reconcile-priority';
const VM_OPERATOR_OVERRIDE = 'vmoperator.vmware.com.protected/reconcile-priority';

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
    {
      what: 'a protected label of ours by its owner',
      now: labelled({ 'protected.drover.dev/team': 'a' }),
      refused: ['protected-own'],
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
  ];
}
