import { at, machine, node } from '../../../test/fixtures/objects.ts';
import { drain, pod } from '../../drain/flow/view.fixture.ts';
import type { DrainView } from '../../drain/flow/view.ts';
import { plan } from './flow.ts';
import { readyNode, recorded, view } from './view.fixture.ts';
import type { MachineView } from './view.ts';

const withdrawn = node({
  spec: { unschedulable: true },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Terminating', status: 'True', reason: 'ScaleDown' },
    ],
  },
});
/** A Node that has been told that its machine leaves. */
export const cordoned = { ...readyNode, object: withdrawn };
/** The status of a drain that began so many seconds after the Machine was made. */
export const drainFrom = (seconds: number, more: object = {}) => ({
  deletion: { startedAt: at(30), drain: { startedAt: at(seconds), deadline: at(seconds + 7_200), ...more } },
});
/** A Machine that is being deleted, and has its VM and its Node. */
export const leaver = (changes: Parameters<typeof machine>[0] = {}) =>
  machine({
    ...recorded,
    ...changes,
    metadata: { ...recorded.metadata, deletionTimestamp: at(30), ...changes.metadata },
  });
/** A Machine with this value of the label that forces its deletion. */
export const labelled = (value: string) => ({ metadata: { labels: { node: 'm', 'force-deletion': value } } });
/** A Machine that somebody holds by this annotation. */
export const hooked = (key: string) => ({ metadata: { annotations: { [key]: '' } } });
/** A drain that one pod is left of. */
export const busy = (more: Partial<DrainView> = {}) => drain({ pods: [pod('a')], ...more });
/** A drain is on record. */
export const begun = { machine: leaver({ status: drainFrom(60) }), node: cordoned };
/** What is judged, how it stands, and which step decides how. */
export type Row = [what: string, facts: Partial<MachineView>, step: string, reason: string];
/** Which step decides, and how, such as `act CordonNode`. */
export const judge = (facts: Partial<MachineView>) => {
  const { step, outcome } = plan(view({ machine: leaver(), node: cordoned, drain: drain(), ...facts }));
  return [step, outcome.kind === 'pass' ? 'pass' : `${outcome.kind} ${outcome.reason}`];
};
