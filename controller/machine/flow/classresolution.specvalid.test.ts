import { describe, expect, test } from 'bun:test';
import { at, machine } from '../../../test/fixtures/objects.ts';
import { reasonOf } from '../../flow/flow.ts';
import { complaints } from '../status/events.ts';
import { statusOf } from '../status/status.ts';
import { plan } from './flow.ts';
import { idle, readyNode, recorded, view, vm } from './view.fixture.ts';
import type { MachineView } from './view.ts';

const bad = { creationTimeout: 'soon' };
const says = 'spec.creationTimeout "soon" is no lasting duration such as 90s or 1h30m';
const absent = { at: 'absent', since: 0 } as const;
const running = machine({
  ...recorded,
  spec: { ...recorded.spec, ...bad },
  status: { currentStatus: { phase: 'Running', lastUpdateTime: at(0) } },
});
const calls = { ...idle, askedAt: Date.parse(at(59)) };

describe('a spec that cannot come true (hack/decisions/0000 2 and 3)', () => {
  test.each<[string, Partial<MachineView>, string]>([
    ['makes no VM', { machine: machine({ spec: bad }), vm: absent }, 'SpecValid SpecInvalid'],
    ['does not hide a VM whose answer was lost', { machine: machine({ spec: bad }) }, 'VMCreated GetVMStatus'],
    [
      'does not keep a VM that is there from being recorded',
      { machine: machine({ spec: bad }), vm },
      'VMCreated RecordVM',
    ],
    [
      'speaks before a class that is missing',
      { machine: machine({ spec: bad }), class: { at: 'missing', name: 'small' } },
      'SpecValid SpecInvalid',
    ],
    [
      'is no matter of ours when another serves the class',
      { machine: machine({ spec: bad }), class: { at: 'foreign', provider: 'AWS' } },
      'ClassReady NoDriverForProvider',
    ],
    ['does not end a machine that runs', { machine: running, vm, node: readyNode, calls }, 'Reconciled Reconciled'],
    [
      'does not keep an ill machine from being judged',
      { machine: running, vm, calls, node: { ...readyNode, ready: false } },
      'NodeHealthy NodeNotReady',
    ],
    [
      'does not keep a machine from leaving',
      { machine: machine({ spec: bad, metadata: { deletionTimestamp: at(1) } }), vm: absent },
      'VMDeleted DeleteVM',
    ],
  ])('%s', (_what, facts, decided) => {
    const decision = plan(view(facts));
    expect(`${decision.step} ${reasonOf(decision)}`).toBe(decided);
  });

  test('is told where it stops the machine', () => {
    const seen = view({ machine: machine({ spec: bad }), vm: absent });
    const status = statusOf(seen, plan(seen), at(60));
    expect(status).toMatchObject({ errorReason: 'SpecInvalid', errorMessage: says });
    const condition = status?.conditions?.find(({ type }) => type === 'SpecValid');
    expect(condition).toMatchObject({ status: 'False', reason: 'SpecInvalid', message: says });
    expect(complaints(seen)).toEqual([]);
  });

  test('is told where it does not', () => {
    const seen = view({ machine: running, vm, node: readyNode, calls });
    const conditions = statusOf(seen, plan(seen), at(60))?.conditions;
    expect(conditions?.find(({ type }) => type === 'SpecValid')).toMatchObject({ status: 'False', message: says });
    expect(complaints(seen)).toEqual([{ type: 'Warning', reason: 'SpecInvalid', note: says }]);
  });
});
