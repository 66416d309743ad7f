import { expect, test } from 'bun:test';
import { machineDeployment } from '../../test/fixtures/objects.ts';
import { revised, seeing } from './flow/seeing.fixture.ts';
import { setOf } from './flow/view.fixture.ts';

const older = machineDeployment({ spec: { template: { spec: { class: { name: 'old' } } } } });

/** A deployment whose older set may not be changed, the first so many times, looked at for ten minutes. */
async function looked(status: number, reason: string, times = Infinity) {
  const deployment = machineDeployment({ metadata: { annotations: revised('2') } });
  const sets = [
    setOf(older, 'old', { wants: 1, scaledFor: [3, 6] }),
    setOf(deployment, 'new', { wants: 1, scaledFor: [3, 4] }),
  ];
  const written: string[] = [];
  const refuse = (write: string) => {
    written.push(write);
    return write === 'patch old' && written.filter((other) => other === write).length <= times ? 'no' : undefined;
  };
  const { pass, told, clock } = seeing(deployment, sets, { refuse, refusal: { status, reason } });
  let failures = 0;
  for (const end = clock.now() + 600_000; clock.now() < end; ) {
    // As the loop does it (runtime/loop.ts).
    const { after = 30_000 } = await pass().then(
      (result) => {
        failures = 0;
        return result;
      },
      () => ({ after: 100 * 2 ** failures++ }),
    );
    await clock.advance(Math.max(100, after));
  }
  return { written, reasons: told.map((note) => note.reason) };
}

// hack/decisions/0051 L71: one set that may not be changed holds up no other, in whatever words that is said (S6).
test.each([
  [403, 'Forbidden'],
  [409, 'Conflict'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
])('a set whose every change is answered %p keeps no other from being scaled, and is told of', async (code, reason) => {
  const { written, reasons } = await looked(code, reason);
  expect(written).toContain('patch new');
  expect(reasons).toContain('FailedUpdate');
  expect(written.filter((write) => write === 'patch old').length).toBeWithin(8, 25);
});

test('a conflict that a fresh read resolves is not told', async () => {
  const { reasons } = await looked(409, 'Conflict', 2);
  expect(reasons).not.toContain('FailedUpdate');
});
