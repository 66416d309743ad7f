import { expect, test } from 'bun:test';
import { ANNOTATION_CREATION_TIMEOUT } from '../../../schemas/keys.ts';
import { BORN, machine } from '../../../test/fixtures/objects.ts';
import { plan } from './flow.ts';
import { limitsOf } from './limits.ts';
import { drainSettings, view } from './view.fixture.ts';

const settings = {
  creationTimeoutMs: 1_200_000,
  healthTimeoutMs: 600_000,
  preserveTimeoutMs: 345_600_000,
  inPlaceTimeoutMs: 1_200_000,
  vmYouthMs: 0,
  nodeConditions: [],
  drain: drainSettings,
  startupTaint: undefined,
};

// hack/decisions/0051 U49: a deployment that MCM stored so hands the annotation on to each new machine, which admission lets pass with a warning.
test('a machine whose annotation says 0s of its creation is made, and not given up in its first second', () => {
  const made = machine({ metadata: { annotations: { [ANNOTATION_CREATION_TIMEOUT]: '0s' } } });
  const { outcome } = plan(view({ now: BORN + 1_000, machine: made, limits: limitsOf(made, settings) }));
  expect(outcome).not.toMatchObject({ kind: 'fail', reason: 'CreationTimedOut' });
});
