import { describe, expect, test } from 'bun:test';
import type { Phase } from '../../../schemas/machinestatus.ts';
import { at, BORN, inPhase } from '../../../test/fixtures/objects.ts';
import { statusOf } from '../status/status.ts';
import { plan } from './flow.ts';
import { idle, readyNode, recorded, view, vm } from './view.fixture.ts';
import type { MachineView, NodeFact } from './view.ts';

const NOW = BORN + 60_000;
const unwell: NodeFact = { ...readyNode, ready: false };
const critical: NodeFact = { ...readyNode, critical: true };
const silent: NodeFact = { ...readyNode, silent: true };
const gone: NodeFact = { at: 'absent' };

type Operation = { type: 'Create' | 'HealthCheck'; state: 'Processing' | 'Failed' | 'Successful' };
const creating: Operation = { type: 'Create', state: 'Processing' };
const checked: Operation = { type: 'HealthCheck', state: 'Processing' };

/** A Machine in a phase since some seconds after its creation, and its Node, at a moment in seconds after that. */
interface Case {
  phase: Phase;
  node: NodeFact;
  since?: number;
  now?: number;
  last?: Operation;
  spec?: object;
  currentStep?: string;
}

/** `phase` after one pass, with the operation that it writes. */
function judged({ phase, node, since = 0, now = 60, last = checked, spec = {}, currentStep }: Case): string {
  const status = {
    lastOperation: last,
    ...(currentStep && { currentStep: { name: 'NodeHealthy', reason: currentStep } }),
  };
  const one = inPhase(phase, since, { ...recorded, spec: { ...recorded.spec, ...spec }, status } as never);
  const seen = view({ machine: one, vm, calls: { ...idle, askedAt: BORN + now * 1000 }, node, now: BORN + now * 1000 });
  const written = statusOf(seen, plan(seen), at(now));
  const { type, state } = written?.lastOperation ?? {};
  return [written?.currentStatus?.phase, type, state].join(' ');
}

describe('health (hack/spec/mcm.md 6.5, Annex B): a Machine that is', () => {
  const rows: Array<[string, Case, string]> = [
    [
      'Pending, with a ready Node, runs',
      { phase: 'Pending', node: readyNode, last: creating },
      'Running Create Successful',
    ],
    [
      'Pending with a critical taint stays so',
      { phase: 'Pending', node: critical, last: creating },
      'Pending Create Processing',
    ],
    [
      'Unknown, healthy with a critical taint, runs',
      { phase: 'Unknown', node: critical },
      'Running HealthCheck Successful',
    ],
    ['Unknown and healthy runs', { phase: 'Unknown', node: readyNode }, 'Running HealthCheck Successful'],
    [
      'Failed and healthy runs',
      { phase: 'Failed', node: readyNode, last: { ...checked, state: 'Failed' } },
      'Running HealthCheck Successful',
    ],
    [
      'Failed to join, and healthy, runs',
      { phase: 'Failed', node: readyNode, last: { ...creating, state: 'Failed' }, now: 1_300 },
      'Running Create Successful',
    ],
    [
      'CrashLoopBackOff and healthy runs',
      { phase: 'CrashLoopBackOff', node: readyNode, last: { ...creating, state: 'Failed' } },
      'Running Create Successful',
    ],
    ['Running and unhealthy is Unknown', { phase: 'Running', node: unwell }, 'Unknown HealthCheck Processing'],
    ['Running without its Node is Unknown', { phase: 'Running', node: gone }, 'Unknown HealthCheck Processing'],
    [
      'Unknown without its Node is Failed in the end',
      { phase: 'Unknown', node: gone, now: 600 },
      'Failed HealthCheck Failed',
    ],
    [
      'Unknown for the health time-out is Failed',
      { phase: 'Unknown', node: unwell, now: 600 },
      'Failed HealthCheck Failed',
    ],
    ['Unknown for less is not', { phase: 'Unknown', node: unwell, now: 599 }, 'Unknown HealthCheck Processing'],
    [
      'Unknown without a health time-out is never Failed',
      { phase: 'Unknown', node: unwell, now: 9_000, spec: { disableHealthTimeout: true } },
      'Unknown HealthCheck Processing',
    ],
    [
      'Pending is Failed from its creation on, however fresh its phase',
      { phase: 'Pending', node: unwell, since: 1_199, now: 1_200, last: creating },
      'Failed Create Failed',
    ],
    [
      'Pending with a critical taint for the creation time-out is Failed',
      { phase: 'Pending', node: critical, now: 1_200, last: creating },
      'Failed Create Failed',
    ],
    [
      'Failed for its health stays so',
      { phase: 'Failed', node: unwell, last: { ...checked, state: 'Failed' } },
      'Failed HealthCheck Failed',
    ],
  ];
  test.each(rows)('%s', (_what, one, result) => expect(judged(one)).toBe(result));
});

describe('a Ready Node that no longer renews its Lease', () => {
  const rows: Array<[string, Case, string]> = [
    ['makes a Running Machine Unknown', { phase: 'Running', node: silent }, 'Unknown HealthCheck Processing'],
    [
      'never makes it Failed',
      { phase: 'Unknown', node: silent, now: 9_000, currentStep: 'NodeLeaseExpired' },
      'Unknown HealthCheck Processing',
    ],
    [
      'that is heard again makes it run',
      { phase: 'Unknown', node: readyNode, now: 9_000, currentStep: 'NodeLeaseExpired' },
      'Running HealthCheck Successful',
    ],
    [
      'says nothing of a Machine that has yet to run',
      { phase: 'Pending', node: silent, last: creating },
      'Running Create Successful',
    ],
    [
      'holds up no recovery',
      { phase: 'Failed', node: silent, last: { ...checked, state: 'Failed' } },
      'Running HealthCheck Successful',
    ],
  ];
  test.each(rows)('%s', (_what, one, result) => expect(judged(one)).toBe(result));

  test('gives the Machine its whole health time-out when the Node turns out to be unwell', () => {
    const suspect = { currentStep: { name: 'NodeHealthy', reason: 'NodeLeaseExpired' } };
    const one = inPhase('Unknown', -9_000, { ...recorded, status: suspect } as never);
    const facts: Partial<MachineView> = { machine: one, vm, calls: { ...idle, askedAt: NOW }, node: unwell };
    const seen = view(facts);
    const decision = plan(seen);
    expect(decision.outcome).toMatchObject({ kind: 'wait', reason: 'NodeNotReady', ms: 600_000 });
    expect(statusOf(seen, decision, at(60))?.currentStatus).toMatchObject({ phase: 'Unknown', lastUpdateTime: at(60) });
  });
});

// hack/decisions/0051 U44
test('what the Node says is told of a Machine that it makes Unknown, and of one that is given up for it', () => {
  const hung: NodeFact = { ...unwell, ill: 'KernelDeadlock is True (DockerHung)' };
  const told = (phase: Phase, now: number, spec: object = recorded.spec) => {
    const calls = { ...idle, askedAt: BORN + now * 1000 };
    const seen = view({
      machine: inPhase(phase, 0, { ...recorded, spec } as never),
      vm,
      calls,
      node: hung,
      now: BORN + now * 1000,
    });
    const written = statusOf(seen, plan(seen), at(now));
    return [written?.lastOperation?.description, written?.currentStep?.message];
  };
  const words = 'KernelDeadlock is True (DockerHung)';
  expect(told('Running', 60)).toEqual([`Machine m is unhealthy: NodeNotReady - ${words}`, words]);
  const given = `NodeNotReady for 600s: ${words}`;
  expect(told('Unknown', 600)).toEqual([`Machine m failed: ${given}`, given]);
  const late = `NodeNotReady within 1200s: ${words}`;
  expect(told('Pending', 1_200)).toEqual([`Machine m failed: ${late}`, late]);
});
