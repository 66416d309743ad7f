import { describe, expect, test } from 'bun:test';
import { ANNOTATION_CREATION_TIMEOUT } from '../../../schemas/keys.ts';
import { machine } from '../../../test/fixtures/objects.ts';
import { limitsOf, type MachineLimits } from './limits.ts';
import { drainSettings } from './view.fixture.ts';

const MINUTE = 60_000;
const settings: MachineLimits = {
  creationTimeoutMs: 20 * MINUTE,
  healthTimeoutMs: 10 * MINUTE,
  preserveTimeoutMs: 96 * 60 * MINUTE,
  inPlaceTimeoutMs: 20 * MINUTE,
  vmYouthMs: 10 * MINUTE,
  nodeConditions: [],
  drain: drainSettings,
  startupTaint: undefined,
};

/** How long a creation may take, minutes. */
const creationOf = (annotation: string, creationTimeout?: string) =>
  limitsOf(
    machine({
      metadata: { annotations: { [ANNOTATION_CREATION_TIMEOUT]: annotation } },
      spec: { ...(creationTimeout && { creationTimeout }) },
    }),
    settings,
  ).creation / MINUTE;

// hack/decisions/0051 U49: the rule `creation-timeout` says of each of these that it "is taken for absent", and lets sets and machines that copy it pass with that.
describe('an annotation that is no creation time-out is taken for absent', () => {
  test.each(['soon', '', '0s', '0', '-5m'])('%p: the setting counts', (annotation) => {
    expect(creationOf(annotation)).toBe(20);
  });

  test.each(['soon', '', '0s', '-5m'])('%p: the spec of the machine counts', (annotation) => {
    expect(creationOf(annotation, '45m')).toBe(45);
  });
});
