import { describe, expect, test } from 'bun:test';
import { at, BORN, machine } from '../../../test/fixtures/objects.ts';
import { plan } from './flow.ts';
import { idle, readyNode, recorded, view } from './view.fixture.ts';
import type { CallFailure, CallsFact, MachineView } from './view.ts';

// hack/decisions/0051 L32, L34, L35, L66, L67

/** A Machine that leaves, whose VM the driver denied when it was to delete it. */
const NOW = BORN + 3_600_000;
const ago = (seconds: number) => NOW - seconds * 1_000;
const deleted = { deletionTimestamp: at(50), annotations: { 'drover.dev/class': '{}' } };
const leaver = machine({ ...recorded, metadata: deleted });
const byForce = machine({ ...recorded, metadata: { ...deleted, labels: { 'force-deletion': 'True' } } });
const unrecorded = machine({ metadata: deleted });

function judge(facts: Partial<MachineView>): string {
  const { step, outcome } = plan(view({ now: NOW, machine: leaver, drain: undefined, ...facts }));
  const ms = outcome.kind === 'wait' && Number.isFinite(outcome.ms) ? ` ${outcome.ms / 1000}` : '';
  return outcome.kind === 'pass' ? step : `${step} ${outcome.kind} ${outcome.reason}${ms}`;
}

/** Denied since so many seconds ago; its latest deletion and question were so long ago. */
const denied = (since: number, [deletion, asked]: [number, number], more: Partial<CallsFact> = {}) => ({
  vm: { at: 'absent', since: ago(since) } as const,
  calls: { ...idle, ...more, askedAt: ago(asked), deletion: { at: ago(deletion), denied: true, heard: true } as const },
});
const known = { known: true } as const;
const none = { at: 'none' } as const;
const heard = (seconds?: number) => ({
  node: { ...readyNode, heard: seconds === undefined ? {} : { livedAt: ago(seconds) } },
});
const down = { node: { ...readyNode, ready: false } };

type Row = [string, Partial<MachineView>, string];
const check = (rows: readonly Row[]) => test.each(rows)('%s', (_what, facts, says) => expect(judge(facts)).toBe(says));

describe('a VM that is denied, and that seems to live,', () => {
  check([
    ['is asked about', { ...denied(20, [20, 11], known), node: none }, 'VMDeleted act GetVMStatus'],
    ['more seldom', { ...denied(30, [30, 10], known), node: none }, 'VMDeleted wait VMTerminating 10'],
    ['is deleted once more', { ...denied(60, [60, 5], known), node: none }, 'VMDeleted act DeleteVM'],
    [
      'has gone if it is denied again then',
      { ...denied(62, [2, 1], known), node: none },
      'FinalizerRemoved act RemoveFinalizer',
    ],
    ['also if its Node is Ready', { ...denied(60, [60, 5], known), node: readyNode }, 'VMDeleted act DeleteVM'],
    ['has gone soon if its Node is not', { ...denied(11, [11, 0], known), ...down }, 'NodeDeleted act DeleteNode'],
    [
      'or is silent',
      { ...denied(11, [11, 0], known), node: { ...readyNode, silent: true, heard: {} } },
      'NodeDeleted act DeleteNode',
    ],
    ['or not there', { ...denied(11, [11, 0], known), node: { at: 'absent' } }, 'FinalizerRemoved act RemoveFinalizer'],
    [
      'has gone soon if nobody here saw it',
      { ...denied(11, [11, 0]), node: none },
      'FinalizerRemoved act RemoveFinalizer',
    ],
    ['has not if its Node has a Lease', { ...denied(11, [11, 3]), ...heard() }, 'VMDeleted wait VMTerminating 5'],
    ['by force it has', { ...denied(11, [11, 0], known), machine: byForce, ...heard(1) }, 'NodeDeleted act DeleteNode'],
  ]);
});

describe('a VM that is denied while the Lease of its Node is renewed', () => {
  check([
    ['is deleted once more', { ...denied(60, [60, 5]), ...heard(30) }, 'VMDeleted act DeleteVM'],
    ['stays', { ...denied(100, [40, 1]), ...heard(30) }, 'VMDeleted wait VMTerminating 38'],
    ['is asked about', { ...denied(700, [500, 61]), ...heard(30) }, 'VMDeleted act GetVMStatus'],
    ['and deleted every ten minutes', { ...denied(700, [600, 1]), ...heard(30) }, 'VMDeleted act DeleteVM'],
    ['has gone if that was before', { ...denied(100, [40, 1]), ...heard(101) }, 'NodeDeleted act DeleteNode'],
    [
      'or if it is silent since',
      { ...denied(300, [240, 1]), node: { ...heard(200).node, silent: true } },
      'NodeDeleted act DeleteNode',
    ],
  ]);
});

describe('a VM that may come of a creation without an answer', () => {
  const limits = { ...view().limits, vmYouth: 600_000 };
  const lost = (seconds: number) => ({ lostAt: ago(seconds) });
  const base = { machine: unrecorded, node: none, limits };
  check([
    ['is asked about', { ...base, ...denied(30, [30, 21], lost(30)) }, 'VMDeleted act GetVMStatus'],
    [
      'at the end of that time deleted once more',
      { ...base, ...denied(600, [600, 5], lost(600)) },
      'VMDeleted act DeleteVM',
    ],
    ['has not come by then', { ...base, ...denied(602, [2, 1], lost(602)) }, 'FinalizerRemoved act RemoveFinalizer'],
    [
      'is not waited for where there is an id',
      { ...base, machine: leaver, ...denied(30, [30, 15], lost(30)) },
      'FinalizerRemoved act RemoveFinalizer',
    ],
    [
      'or by force',
      { ...base, machine: machine({ metadata: byForce.metadata }), ...denied(30, [30, 15], lost(30)) },
      'FinalizerRemoved act RemoveFinalizer',
    ],
  ]);
});

describe('a VM of which no Node was seen', () => {
  const limits = { ...view().limits, vmYouth: 3_700_000 };
  const base = { machine: leaver, node: { at: 'absent' }, limits } as const;
  const registered = { ...leaver, status: { nodeRef: { name: 'm' } } };
  const twice = denied(11, [11, 0]);
  check([
    ['is not waited for, however young it is', { ...base, ...twice }, 'FinalizerRemoved act RemoveFinalizer'],
    [
      'is not waited for where nothing tells of one',
      { ...base, ...twice, machine: unrecorded },
      'FinalizerRemoved act RemoveFinalizer',
    ],
    ['has gone when it is not', { ...base, ...twice, limits: view().limits }, 'FinalizerRemoved act RemoveFinalizer'],
    ['by force it has', { ...base, ...twice, machine: byForce }, 'FinalizerRemoved act RemoveFinalizer'],
    [
      'has gone where one was seen before',
      { ...base, ...twice, machine: registered },
      'FinalizerRemoved act RemoveFinalizer',
    ],
  ]);
});

describe('a VM whose deletion was accepted, and that is denied then', () => {
  const answered = (since: number, asked = since) => ({
    vm: { at: 'absent', since: ago(since) } as const,
    calls: { ...idle, ...known, askedAt: ago(asked), deletion: { at: ago(100), heard: true } as const },
  });
  check([
    ['is asked about again if it ran on', { ...answered(5), ...heard(30) }, 'VMDeleted wait VMTerminating 5'],
    ['lives as long as its Lease is renewed', { ...answered(40, 5), ...heard(30) }, 'VMDeleted wait VMTerminating 55'],
    ['has gone when it is denied again', { ...answered(30, 1), ...heard(40) }, 'NodeDeleted act DeleteNode'],
    ['has gone if no Lease tells that it ran on', { ...answered(5), ...heard(110) }, 'NodeDeleted act DeleteNode'],
    ['or if its Node is not Ready', { ...answered(5), ...down }, 'NodeDeleted act DeleteNode'],
    [
      'also if its Lease was renewed as it shut down',
      { ...answered(5), node: { ...heard(30).node, ready: false } },
      'NodeDeleted act DeleteNode',
    ],
    [
      'or is silent by now',
      { ...answered(5), node: { ...heard(30).node, silent: true } },
      'NodeDeleted act DeleteNode',
    ],
  ]);
});

describe('one of several VMs of its name', () => {
  const failure: CallFailure = {
    method: 'getMachineStatus',
    code: 'OutOfRange',
    message: '2 VMs',
    retryAt: NOW + 5_000,
    permanent: false,
  };
  const answered = { ...idle, failure, deletion: { at: ago(1) } };
  const base = { machine: unrecorded, node: none, limits: { ...view().limits, vmYouth: 600_000 } };
  check([
    [
      'went by its token, and the others are orphans',
      { ...base, calls: answered },
      'FinalizerRemoved act RemoveFinalizer',
    ],
    [
      'may still come of a creation without an answer',
      { ...base, calls: { ...answered, lostAt: ago(500) } },
      'VMDeleted wait VMTerminating 100',
    ],
    [
      'is then deleted once more',
      { ...base, calls: { ...answered, deletion: { at: ago(500) }, lostAt: ago(600) } },
      'VMDeleted act DeleteVM',
    ],
    ['is not it where there is an id', { ...base, machine: leaver, calls: answered }, 'VMDeleted wait OutOfRange 5'],
  ]);
});
