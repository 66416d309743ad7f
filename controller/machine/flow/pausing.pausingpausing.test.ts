import { describe, expect, test } from 'bun:test';
import { at, machine } from '../../../test/fixtures/objects.ts';
import { here } from '../../model/readiness.fixture.ts';
import { plan } from './flow.ts';
import { recorded, view } from './view.fixture.ts';
import type { MachineView } from './view.ts';

const LABEL = 'vmoperator.vmware.com/paused';
const CAPI = { 'cluster.x-k8s.io/paused': '' };
const DEVOPS = { [LABEL]: '' };
const ADMIN = { 'protected.drover.dev/paused': 'maintenance' };

interface Case {
  annotations?: Record<string, string>;
  /** What the label says. */
  told?: string;
  facts?: Partial<MachineView>;
}

function decided({ annotations = {}, told, facts = {} }: Case) {
  const labels = { ...recorded.metadata.labels, ...(told !== undefined && { [LABEL]: told }) };
  const one = machine({ ...recorded, metadata: { ...recorded.metadata, annotations, labels } });
  const { outcome } = plan(view({ machine: one, ...facts }));
  if (outcome.kind === 'act' && outcome.action.do === 'annotate') return outcome.action.labels?.[LABEL] ?? 'taken off';
  return 'reason' in outcome ? outcome.reason : outcome.kind;
}

// hack/decisions/0028 W12
describe('the label that says who holds a Machine’s changes back', () => {
  const east = { ...here, name: 'east', paused: true };
  const rows: Array<[string, Case, string]> = [
    ['says devops for Cluster API’s annotation', { annotations: CAPI }, 'devops'],
    ['says devops for VM Operator’s', { annotations: DEVOPS }, 'devops'],
    ['says devops for a paused Cluster', { facts: { cluster: east } }, 'devops'],
    ['says admin for the protected one', { annotations: ADMIN }, 'admin'],
    ['says both for both', { annotations: { ...CAPI, ...ADMIN } }, 'both'],
    ['says both for the protected one and a paused Cluster', { annotations: ADMIN, facts: { cluster: east } }, 'both'],
    ['is mended when it says something else', { annotations: ADMIN, told: 'devops' }, 'admin'],
    ['is taken off when nobody does', { told: 'admin' }, 'taken off'],
    ['and is true is left alone', { annotations: ADMIN, told: 'admin' }, 'Paused'],
    ['of a paused Cluster that is true is left alone', { told: 'devops', facts: { cluster: east } }, 'ClusterPaused'],
    [
      'is not written on what another controller looks after',
      { annotations: CAPI, facts: { class: { at: 'foreign', provider: 'aws' } } },
      'Paused',
    ],
    [
      'that may not be written holds up nothing, and the pause holds',
      { annotations: CAPI, facts: { refused: new Map([['Paused', { message: 'no', retryAt: 0 }]]) } },
      'Paused',
    ],
  ];
  test.each(rows)('%s', (_what, one, said) => expect(decided(one)).toBe(said));
});

test.each([CAPI, DEVOPS, ADMIN])('a pause by %p holds a deletion, and says by which annotation', (annotations) => {
  const labels = { [LABEL]: annotations === ADMIN ? 'admin' : 'devops' };
  const one = machine({ ...recorded, metadata: { deletionTimestamp: at(50), annotations, labels } });
  const [key] = Object.keys(annotations);
  expect(plan(view({ machine: one }))).toMatchObject({
    step: 'Paused',
    outcome: { reason: 'Paused', message: expect.stringContaining(`annotation ${key} holds it`) },
  });
});
