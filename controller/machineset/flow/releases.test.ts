import { expect, test } from 'bun:test';
import { at, inPhase } from '../../../test/fixtures/objects.ts';
import { releasesOf } from './releases.ts';
import { view } from './view.fixture.ts';

const running = (name: string) => inPhase('Running', 0, { metadata: { name, uid: `uid-${name}` } });

// hack/decisions/0051 S19g: the set of three has these two machines, and lets the others go.
test.each([
  ['one', ['c']],
  ['one of two', ['c', 'd']],
  ['one of three', ['c', 'd', 'e']],
])('of machines that are let go those count that are replaced, not those that were too many: %s', (_what, names) => {
  const releasing = names.map(running);
  const machines = ['a', 'b'].map(running);
  expect(releasesOf(view({ machines, strays: releasing, releasing }), at(60))).toEqual({
    machines: 1,
    since: at(60),
  });
});
