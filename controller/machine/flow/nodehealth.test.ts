import { describe, expect, test } from 'bun:test';
import { at, inPhase, node } from '../../../test/fixtures/objects.ts';
import type { Node } from '../../runtime/k8s/core.ts';
import { seen } from '../observe.fixture.ts';
import { statusOf } from '../status/status.ts';
import { plan } from './flow.ts';
import { idle, recorded, vm } from './view.fixture.ts';
import type { MachineView } from './view.ts';

const condition = (type: string, status: string) => ({ type, status });
const ready = condition('Ready', 'True');
const critical = { key: 'node.gardener.cloud/critical-components-not-ready', effect: 'NoSchedule' };
const saying = (conditions: ReturnType<typeof condition>[]): Node => node({ status: { conditions } });
const waiting = node({ spec: { taints: [critical] } });

/** The phase that is written for a Machine with this Node; KernelDeadlock is a condition that counts. */
function phaseAfter(before: string, nodes: Node[]): string | undefined {
  const found = seen(inPhase(before, 0, { ...recorded, spec: { ...recorded.spec, creationTimeout: '1h' } }), { nodes });
  if (!found) return undefined;
  const judged: MachineView = { ...found, vm, calls: { ...idle, askedAt: found.now } };
  const decision = plan(judged);
  return statusOf(judged, decision, at(0))?.currentStatus?.phase ?? decision.step;
}

describe('hack/spec/mcm.md Annex B, Health:', () => {
  test.each([
    ['Pending + healthy Node + critical taint: stays Pending', 'Pending', waiting, 'Pending'],
    ['Pending + healthy Node: Running', 'Pending', node(), 'Running'],
    ['Unknown + healthy Node + critical taint: Running', 'Unknown', waiting, 'Running'],
    ['Running + healthy Node + critical taint: stays Running', 'Running', waiting, 'Running'],
    ['Unknown + healthy Node: Running', 'Unknown', node(), 'Running'],
    ['a condition of another type is ignored', 'Running', saying([ready, condition('Other', 'True')]), 'Running'],
    [
      'a condition in the list = True: unhealthy',
      'Running',
      saying([ready, condition('KernelDeadlock', 'True')]),
      'Unknown',
    ],
    [
      'a condition in the list = Unknown: unhealthy',
      'Running',
      saying([ready, condition('KernelDeadlock', 'Unknown')]),
      'Unknown',
    ],
    ['a condition type in the list that is missing is ignored', 'Unknown', saying([ready]), 'Running'],
    ['Ready = False: unhealthy', 'Running', saying([condition('Ready', 'False')]), 'Unknown'],
    ['Ready = Unknown: unhealthy', 'Running', saying([condition('Ready', 'Unknown')]), 'Unknown'],
    ['Ready missing, all others fine: healthy', 'Unknown', saying([condition('KernelDeadlock', 'False')]), 'Running'],
    ['no conditions: unhealthy', 'Running', saying([]), 'Unknown'],
  ])('%s', (_row, before, one, after) => expect(phaseAfter(before, [one])).toBe(after));

  test('no Node: unhealthy', () => expect(phaseAfter('Running', [])).toBe('Unknown'));
});
