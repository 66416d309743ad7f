import { describe, expect, test } from 'bun:test';
import { FINALIZER } from '../../../schemas/keys.ts';
import { BORN, machine, machineClass } from '../../../test/fixtures/objects.ts';
import { DriverError } from '../../drivers/sdk/errors.ts';
import { failing, Life, VM } from '../life.fixture.ts';
import { plan } from './flow.ts';
import { idle, noTokens, readyNode, recorded, view, vm } from './view.fixture.ts';
import type { MachineView } from './view.ts';

// hack/decisions/0051 L1

const TIMEOUT_S = 1_200;
const needsSecret = [
  machineClass({ metadata: { finalizers: [FINALIZER] }, secretRef: { name: 'a', namespace: 'herd' } }),
];
const noToken = { ...noTokens, fact: () => ({ message: 'forbidden', retryAt: Number.MAX_SAFE_INTEGER }) };
const unfinished = {
  getMachineStatus: () => Promise.reject(new DriverError('Uninitialized', 'not yet', { known: VM })),
};
const one = machine({ metadata: { labels: { node: 'm' } }, spec: { providerID: VM.providerID } });
const forgetful = machine();
delete forgetful.metadata.annotations;

describe('a Machine whose VM is not made, or not finished, within the creation time-out is Failed', () => {
  test.each([
    ['as its creation fails', new Life({ createMachine: failing('Unavailable') })],
    ['as its creation fails for good', new Life({ createMachine: failing('InvalidArgument') })],
    ['as its creation hangs', new Life({ createMachine: () => new Promise(() => {}) })],
    ['as nobody tells of it', new Life({ getMachineStatus: failing('Unavailable') })],
    ['as its initialization fails', new Life({ initializeMachine: failing('Unavailable') })],
    ['as its initialization fails for good', new Life({ initializeMachine: failing('InvalidArgument') })],
    ['as its initialization hangs', new Life({ initializeMachine: () => new Promise(() => {}) })],
    ['as its class is not there', new Life({}, { classes: [], one: forgetful })],
    ['as its class is gone', new Life({}, { classes: [] })],
    ['as a Secret is not there', new Life({}, { classes: needsSecret })],
    ['as a Secret is gone', new Life(unfinished, { classes: needsSecret, one })],
    ['as there is no token to make it with', new Life({}, { tokens: noToken })],
    ['as there is no token to finish it with', new Life(unfinished, { tokens: noToken, one })],
    ['without a target cluster', new Life({ initializeMachine: failing('Unavailable') }, { hasTarget: false })],
  ])('%s', async (_what, life) => {
    await life.pass(TIMEOUT_S - 10);
    expect(life.phases.at(-1) ?? '').not.toStartWith('Failed');
    await life.pass(20);
    expect(life.phases.at(-1)).toBe(`Failed ${TIMEOUT_S}`);
    await life.pass(3_600);
    expect(life.phases.at(-1)).toBe(`Failed ${TIMEOUT_S}`);
  });

  const raw = { machine: machine(recorded), vm: { ...vm, initialized: false } };
  const gone = { at: 'absent', since: BORN } as const;
  const late = { now: BORN + TIMEOUT_S * 1_000 };
  const full = ['createMachine', 'getMachineStatus', 'initializeMachine'] as const;
  test.each<[string, Partial<MachineView>, string]>([
    ['waits for a slot to be made', { vm: gone }, 'VMCreated CreationTimedOut'],
    ['waits for a slot to be asked about', {}, 'VMCreated CreationTimedOut'],
    ['waits for a slot to be finished', raw, 'VMInitialized CreationTimedOut'],
    [
      'has a driver elsewhere: nothing is done to it',
      { class: { at: 'foreign', provider: 'x' } },
      'ClassReady NoDriverForProvider',
    ],
    [
      'has a Node that cannot be read: nobody is given up',
      { ...raw, node: { at: 'unknown' }, cluster: { at: 'missing', name: 'far', paused: false } },
      'ClusterReachable ClusterNotFound',
    ],
  ])('also one that %s', (_what, facts, says) => {
    const { step, outcome } = plan(view({ ...late, calls: { ...idle, askedAt: late.now, full }, ...facts }));
    expect(`${step} ${'reason' in outcome ? outcome.reason : ''}`).toBe(says);
  });
});

// hack/decisions/0051 L116
describe('a Machine that was given up before it came up', () => {
  const now = BORN + 2 * TIMEOUT_S * 1_000;
  const from = now - 60_000;
  const failed = {
    status: { currentStatus: { phase: 'Failed' }, lastOperation: { type: 'Create', state: 'Failed' } },
  } as const;
  const asked = { now, calls: { ...idle, askedAt: now } };
  const gone = { machine: machine(failed), vm: { at: 'absent', since: BORN } } as const;
  const made = { machine: machine({ ...failed, ...recorded }) };
  const raw = { ...made, vm: { ...vm, initialized: false } };
  const taken = { ...made, node: { at: 'foreign', name: 'm', providerID: 'x', stale: false } } as const;

  describe.each([
    ['after an outage', { judgesFrom: from }],
    ['after a step of the clock', { judgesFrom: from, steppedAt: from }],
  ])('stays so %s:', (_when, gate) => {
    test.each<[string, Partial<MachineView>, string]>([
      ['no VM is made', gone, 'VMCreated CreationTimedOut'],
      ['none is waited for', { ...gone, class: { at: 'missing', name: 'small' } }, 'ClassReady CreationTimedOut'],
      ['its VM is not waited for', raw, 'VMInitialized CreationTimedOut'],
      ['no Node is', { ...made, node: { at: 'absent' } }, 'NodeRegistered RegistrationTimedOut'],
      ['nor until a Node makes room', taken, 'NodeRegistered RegistrationTimedOut'],
      [
        'and says why, where a Node stands in the way',
        { ...taken, node: { ...taken.node, stale: true } },
        'NodeRegistered NodeNameTaken',
      ],
      ['but it runs if its Node is well', { ...made, node: readyNode }, 'Reconciled '],
    ])('%s', (_what, facts, says) => {
      const { step, outcome } = plan(view({ ...asked, gate, ...facts }));
      expect(`${step} ${'reason' in outcome ? outcome.reason : ''}`).toBe(says);
    });
  });
});

describe('a Machine whose VM cannot be finished, and whose Node is well, runs (hack/spec/mcm.md 6.2 5, 6.5 B)', () => {
  test.each(['Unavailable', 'InvalidArgument'] as const)('while the driver says %s', async (code) => {
    const life = new Life({ initializeMachine: failing(code, () => 'no') });
    await life.pass(60);
    await life.register();
    await life.pass(2 * TIMEOUT_S);
    expect(life.phases).toEqual(['CrashLoopBackOff 0', 'Running 60']);
    const { conditions } = (await life.machine()).status ?? {};
    expect(conditions?.find(({ type }) => type === 'VMInitialized')).toMatchObject({ status: 'False', reason: code });
    expect(life.called['initializeMachine']?.at(-1)).toBeGreaterThan(TIMEOUT_S);
  });

  test('after it Failed, too', async () => {
    const life = new Life({ initializeMachine: failing('Unavailable') });
    await life.pass(TIMEOUT_S + 10);
    await life.register();
    await life.pass(10);
    expect(life.phases.slice(-2)).toEqual(['Failed 1200', 'Running 1210']);
  });

  test('not so while components that must run first do not', () => {
    const raw = { machine: machine(recorded), vm: { ...vm, initialized: false }, now: BORN + TIMEOUT_S * 1_000 };
    expect(
      plan(view({ ...raw, calls: { ...idle, askedAt: raw.now }, node: { ...readyNode, critical: true } })).outcome,
    ).toMatchObject({
      reason: 'CreationTimedOut',
    });
  });
});

test('without a target cluster a VM of which the driver does not speak is not Available yet', async () => {
  const life = new Life({ getMachineStatus: failing('Unavailable') }, { one, hasTarget: false });
  await life.pass(2 * TIMEOUT_S);
  expect(life.phases).toEqual(['CrashLoopBackOff 0']);
});
