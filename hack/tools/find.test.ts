import { expect, test } from 'bun:test';
import { adviceFor } from './find.ts';

test('when nothing worked, the sentence says what was tried, why it failed and what the user can do', () => {
  expect(
    adviceFor('kubectl', ['downloading kubectl 1: no such host', 'building kubectl 1: there is no go on PATH']),
  ).toBe(
    `There is no kubectl, and no way to get it worked:
  - downloading kubectl 1: no such host
  - building kubectl 1: there is no go on PATH
Let this machine reach one of these downloads, install Go 1.26 or later, or set DROVER_BIN or KUBEBUILDER_ASSETS
to a folder that holds kubectl. Then try again.`,
  );
});
