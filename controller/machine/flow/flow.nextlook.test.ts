import { describe, expect, test } from 'bun:test';
import { BORN, inPhase, machine } from '../../../test/fixtures/objects.ts';
import { nextDeadline } from './flow.ts';
import { idle, readyNode, recorded, view, vm } from './view.fixture.ts';
import type { MachineView } from './view.ts';

const NOW = BORN + 60_000;
const failure = {
  method: 'createMachine',
  code: 'Unavailable',
  message: 'away',
  retryAt: NOW + 5_000,
  permanent: false,
} as const;
const asked = { ...idle, askedAt: NOW };
const notReady = { ...readyNode, ready: false };
const known = { machine: machine(recorded), vm, calls: asked };
const running = (since: number) => ({ ...known, machine: inPhase('Running', since, recorded) });
const unknown = (since: number) => ({ ...known, machine: inPhase('Unknown', since, recorded) });

describe('the next look without news is due', () => {
  test.each([
    ['when a new Machine’s creation times out', {}, 1_140_000],
    ['when a failed call is tried again', { calls: { ...asked, failure } }, 5_000],
    ['when the VM of a healthy Machine is to be asked after', { ...running(30), node: readyNode }, 600_000],
    ['sooner while its Node is not ready', { ...unknown(30), node: notReady }, 60_000],
    [
      'at once when its Node changed after the last answer',
      { ...unknown(30), node: { ...notReady, changedAt: NOW } },
      500,
    ],
    ['at once when its Node went missing', running(30), 500],
    ['later once it is known to be missing', unknown(30), 60_000],
  ] as const)('%s', (_what, facts, ms) => expect(nextDeadline(view(facts as Partial<MachineView>))).toBe(ms));
});
