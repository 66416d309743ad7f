import { at, BORN, inPhase, node } from '../../../test/fixtures/objects.ts';
import { drain } from '../../drain/flow/view.fixture.ts';
import type { PodFact } from '../../drain/flow/view.ts';
import { idle, readyNode, recorded, view, vm } from './view.fixture.ts';
import type { MachineView } from './view.ts';

/** The moment of the views. */
export const NOW = BORN + 60_000;

/** How an update in place stands. */
export interface Case {
  /** What the Node's condition says for people. */
  message?: string;
  /** The Node has not been ready for more than five minutes. */
  lost?: boolean;
  /** Pods that a drain finds on the Node. */
  pods?: PodFact[];
  deadline?: number;
  labels?: Record<string, string>;
  /** Of the Node's condition. */
  reason?: string;
  phase?: string;
  /** Seconds for which the machine has been in its phase. */
  since?: number;
  annotations?: Record<string, string>;
  cordoned?: boolean;
  machine?: Parameters<typeof inPhase>[2];
  ready?: boolean;
  gone?: boolean;
}

/** A view of a machine with a VM whose Node stands so. */
export function seen({ phase = 'Running', since = 0, labels = {}, reason, ...rest }: Case): MachineView {
  const lost = { type: 'Ready', status: 'False', lastTransitionTime: at(-300) };
  const conditions = [
    rest.lost ? lost : { type: 'Ready', status: rest.ready === false ? 'False' : 'True' },
    ...(reason ? [{ type: 'InPlaceUpdate', status: 'True', reason, message: rest.message ?? '' }] : []),
  ];
  const { pods, deadline = NOW + 60_000 } = rest;
  const object = node({
    metadata: { labels, annotations: rest.annotations ?? {} },
    spec: { unschedulable: rest.cordoned ?? false },
    status: { conditions },
  });
  return view({
    machine: inPhase(phase, 60 - since, { ...recorded, ...rest.machine }),
    vm,
    calls: { ...idle, askedAt: NOW },
    ...(pods && { drain: drain({ pods, deadline }) }),
    node: rest.gone ? { at: 'absent' } : { ...readyNode, object, conditions, ready: rest.ready ?? true },
  });
}
