import { describe, expect, test } from 'bun:test';
import type { Api } from '../controller/runtime/client/api.ts';
import { ApiError } from '../controller/runtime/client/errors.ts';
import { FakeClock } from '../controller/runtime/clock.fake.ts';
import type { Machine } from '../schemas/machine.ts';
import { checkUntilWorking, tryAdmission } from './selfcheck.ts';

type Answer = (machine: Machine) => Machine;

/** An API server that answers each dry run so. */
const answering = (answer: Answer) =>
  ({
    create: async (_resource: unknown, machine: Machine, options: { dryRun?: boolean }) => {
      expect(options).toEqual({ dryRun: true });
      return answer(machine);
    },
  }) as unknown as Pick<Api, 'create'>;

const completed: Answer = (machine) => ({
  ...machine,
  metadata: { ...machine.metadata, annotations: { ...machine.metadata.annotations, 'drover.dev/created-by': 'me' } },
});
const refuses =
  (reason: string): Answer =>
  () => {
    throw new ApiError(`create machine: ${reason}`, { status: 400, reason });
  };
const isBad = ({ metadata }: Machine) => Object.keys(metadata.annotations ?? {}).length > 0;
const either =
  (good: Answer, bad: Answer): Answer =>
  (machine) =>
    (isBad(machine) ? bad : good)(machine);

describe('admission', () => {
  test('works when a good Machine is completed and a bad one is refused', async () => {
    expect(await tryAdmission(answering(either(completed, refuses('Invalid'))), 'herds')).toEqual([
      { works: true, message: 'A good Machine is taken, and the webhook has completed it.' },
      { works: true, message: 'A bad Machine is refused: create machine: Invalid' },
    ]);
  });

  test.each<[string, Answer, string]>([
    ['good Machines are refused', refuses('InternalError'), 'A good Machine is refused: create machine: InternalError'],
    [
      'nobody completes a good one',
      (machine) => machine,
      "A good Machine is taken, but no webhook has completed it: see whether Drover's MutatingWebhookConfiguration is there, and selects namespace herds",
    ],
    [
      'a bad one is taken',
      completed,
      "A bad Machine is taken, as nothing checks it: see whether Drover's ValidatingWebhookConfiguration is there, and selects namespace herds",
    ],
    [
      'a bad one is refused for something else',
      refuses('Forbidden'),
      'A bad Machine is refused, but not for its fault: create machine: Forbidden',
    ],
  ])('does not work when %s', async (_title, answer, message) => {
    expect(await tryAdmission(answering(answer), 'herds')).toContainEqual({ works: false, message });
  });

  test('that cannot be asked about at all is an error', async () => {
    const broken = answering(() => {
      throw new TypeError('no');
    });
    await expect(tryAdmission(broken, 'herds')).rejects.toThrow('no');
  });
});

describe('the check', () => {
  const finding = (works: boolean) => [{ works, message: '' }];

  test('tries again until all works', async () => {
    const clock = new FakeClock();
    let tries = 0;
    const done = checkUntilWorking({ clock, timeoutMs: 60_000 }, async () => finding(++tries === 3));
    await clock.advance(2_000);
    expect(await done).toEqual(finding(true));
    expect(tries).toBe(3);
  });

  test.each([
    [0, 1],
    [2_500, 3],
  ])('with a time-out of %d ms tries %d times', async (timeoutMs, times) => {
    const clock = new FakeClock();
    let tries = 0;
    const done = checkUntilWorking({ clock, timeoutMs }, async () => finding(++tries < 0));
    await clock.advance(10_000);
    expect(await done).toEqual(finding(false));
    expect(tries).toBe(times);
  });
});
