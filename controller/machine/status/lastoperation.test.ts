import { describe, expect, test } from 'bun:test';
import { at, machine } from '../../../test/fixtures/objects.ts';
import { wait } from '../../flow/flow.ts';
import { deletionSteps, plan } from '../flow/flow.ts';
import { idle, recorded, view } from '../flow/view.fixture.ts';
import { operationOf } from './lastoperation.ts';

// hack/decisions/0051 L20

const leaver = machine({ metadata: { deletionTimestamp: at(1) } });
const failure = {
  method: 'createMachine',
  code: 'ResourceExhausted',
  message: 'quota',
  retryAt: 0,
  permanent: false,
} as const;
const said = (step: string, calls = {}) =>
  operationOf(view({ machine: leaver, calls: { ...idle, ...calls } }), { step, outcome: wait('x', 1) }, 'Terminating');

describe('what goes on while a machine leaves', () => {
  test.each(Object.keys(deletionSteps))('is told in words at the step %s', (step) => {
    expect(said(step)).toMatchObject({ type: 'Delete', state: 'Processing' });
    expect(said(step)?.description).toMatch(/^\w+ .*\w$/);
  });

  test.each(Object.keys(deletionSteps))('has nothing of a creation that failed before, at the step %s', (step) => {
    expect(said(step, { failure })).toEqual(said(step) as never);
  });

  test('tells that its own call failed, also where another one failed since', () => {
    const own = { ...failure, method: 'deleteMachine', message: 'no' } as const;
    const told = {
      state: 'Failed',
      errorCode: 'ResourceExhausted',
      description: 'Initiate VM deletion. Cloud provider message - no',
    };
    expect(said('VMDeleted', { failure: own })).toMatchObject(told);
    expect(said('VMDeleted', { failure, earlier: [own] })).toMatchObject(told);
  });

  // hack/decisions/0051 U30; hack/spec/mcm.md 6.7 S2, drainNode
  test.each(['PodDisruptionBudgetMisconfigured', 'EvictionFailed'])(
    'has failed where a drain does not get on: %s',
    (reason) => {
      const why = 'default/web: PodDisruptionBudget "web" is misconfigured';
      const decision = { step: 'Drained', outcome: wait(reason, 1, why) };
      expect(operationOf(view({ machine: leaver, calls: idle }), decision, 'Terminating')).toEqual({
        type: 'Delete',
        state: 'Failed',
        description: `Drain failed due to - ${why}. Will retry in next sync. Initiate node drain`,
      });
    },
  );

  test('goes on while a budget holds pods for now', () => {
    const decision = { step: 'Drained', outcome: wait('EvictionBlocked', 1, 'default/web') };
    const said = operationOf(view({ machine: leaver, calls: idle }), decision, 'Terminating');
    expect(said).toMatchObject({ state: 'Processing', description: 'Initiate node drain' });
  });

  test('has failed where nothing but a person helps, and says what is wrong (hack/decisions/0051 L7)', () => {
    const secretMissing = { at: 'secretMissing', secret: 'herd/s' } as const;
    const seen = view({ machine: machine({ ...recorded, metadata: leaver.metadata }), class: secretMissing });
    expect(operationOf(seen, plan(seen), 'Terminating')).toEqual({
      type: 'Delete',
      state: 'Failed',
      description:
        'Initiate VM deletion. Secret "herd/s" does not exist: there may be a VM, and no driver is asked about it without; once it is there again, the deletion goes on',
    });
  });
});
