import { describe, expect, test } from 'bun:test';
import { at, BORN, inPhase, machine } from '../../../test/fixtures/objects.ts';
import type { Secret } from '../../runtime/k8s/core.ts';
import { tokenSelector } from '../../targets/caches.ts';
import { plan } from '../flow/flow.ts';
import { idle, recorded, view, vm } from '../flow/view.fixture.ts';
import type { MachineView } from '../flow/view.ts';
import { TOKEN_PARTS } from './token.fixture.ts';
import { extended, firstOf, judgeToken, type TokenVerdict, tokenSecret, tokenText } from './token.ts';

const NOW = BORN + 60_000;
const CREATION = 1_200_000;
const limits = { creation: CREATION, most: 3_600_000 };
const token = tokenSecret(machine(), TOKEN_PARTS);
const plain = ({ data = {} }: Pick<Secret, 'data'>) =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, atob(value)]));

test('a token is a Secret with MCM’s keys (hack/spec/mcm.md 6.13), and says whose it is', () => {
  const extraGroups = ['system:bootstrappers:a', 'system:bootstrappers:b'];
  const made = tokenSecret(machine(), { ...TOKEN_PARTS, extraGroups, signing: true });
  expect(made).toMatchObject({
    type: 'bootstrap.kubernetes.io/token',
    metadata: {
      name: 'bootstrap-token-abcdef',
      namespace: 'kube-system',
      labels: {
        'drover.dev/incarnation': 'here',
        'drover.dev/machine-uid': 'uid-m',
        'drover.dev/machine-namespace': 'herd',
      },
      annotations: { 'drover.dev/machine': 'herd/m' },
    },
  });
  expect(plain(made)).toEqual({
    description: 'Bootstrap token of Machine herd/m',
    'token-id': 'abcdef',
    'token-secret': '0123456789abcdef',
    expiration: '2026-01-01T00:20:00Z',
    'usage-bootstrap-authentication': 'true',
    'usage-bootstrap-signing': 'true',
    'auth-extra-groups': 'system:bootstrappers:a,system:bootstrappers:b',
  });
  expect(plain(token)['usage-bootstrap-signing']).toBe('false');
  expect(tokenText(made)).toBe('abcdef.0123456789abcdef');
});

/** The token as it is when it expires so many seconds after the Machine was born. */
const until = (seconds: number) => tokenSecret(machine(), { ...TOKEN_PARTS, expiration: at(seconds) });

describe('a token', () => {
  const of = (...changes: Parameters<typeof machine>) => machine(...changes);
  const HOUR = 3_600_000;
  const long = { creation: 1_000 * HOUR, most: HOUR };
  const late = { now: BORN + HOUR / 2, token: until(3_600), limits: long };
  const rows: Array<[string, Partial<Parameters<typeof judgeToken>[0]>, TokenVerdict]> = [
    ['of a Machine that is to join is kept', {}, { do: 'keep', ms: 1_140_000 }],
    // hack/decisions/0028 W5
    [
      'that lives for longer than any may is looked at when half of its time is over',
      { token: until(3_600), limits: long },
      { do: 'keep', ms: HOUR / 2 - 60_000 },
    ],
    [
      'is renewed then, for an hour again, while its VM is awaited',
      late,
      { do: 'extend', expiresAt: BORN + 1.5 * HOUR },
    ],
    [
      'is not renewed while no VM is awaited, and looked at again before it ends',
      { ...late, awaited: false },
      { do: 'keep', ms: HOUR / 10 },
    ],
    ['ends while no VM is awaited', { ...late, now: BORN + HOUR, awaited: false }, { do: 'delete' }],
    [
      'is renewed up to the end of the creation time-out and no longer (hack/decisions/0000 3)',
      { ...late, limits: { creation: 1.2 * HOUR, most: HOUR } },
      { do: 'extend', expiresAt: BORN + 1.2 * HOUR },
    ],
    ['that lives until creation times out is not renewed', { now: BORN + CREATION - 1_000 }, { do: 'keep', ms: 1_000 }],
    [
      'whose expiration nobody can read is renewed',
      { token: { ...token, data: {} } },
      { do: 'extend', expiresAt: BORN + CREATION },
    ],
    [
      'is not renewed once creation has timed out, and kept until it expires',
      { now: BORN + CREATION, token: until(1_300) },
      { do: 'keep', ms: 100_000 },
    ],
    ['that expired after that goes', { now: BORN + CREATION }, { do: 'delete' }],
    ['that nobody can read goes after that', { now: BORN + CREATION, token: { ...token, data: {} } }, { do: 'delete' }],
    [
      'of a Machine that waits for its Node is kept',
      { machine: inPhase('Pending', 0, recorded) },
      { do: 'keep', ms: 1_140_000 },
    ],
    [
      'of a Machine whose creation failed is kept',
      { machine: inPhase('CrashLoopBackOff') },
      { do: 'keep', ms: 1_140_000 },
    ],
    ['of a Running Machine goes', { machine: inPhase('Running', 0, recorded) }, { do: 'delete' }],
    ['of a Machine that ran once goes', { machine: inPhase('Unknown', 0, recorded) }, { do: 'delete' }],
    ['of a Machine that leaves goes', { machine: of({ metadata: { deletionTimestamp: at(50) } }) }, { do: 'delete' }],
    ['of a Machine that is gone goes', { machine: undefined }, { do: 'delete' }],
    // hack/decisions/0051 L11
    [
      'of a Machine that has its time again after an outage is renewed, although it expired meanwhile',
      { now: BORN + 1_300_000, since: BORN + 1_250_000 },
      { do: 'extend', expiresAt: BORN + 1_250_000 + CREATION },
    ],
    [
      'of a Machine in a Cluster that is paused is left alone',
      { machine: inPhase('Running', 0, recorded), isClusterPaused: true },
      { do: 'keep', ms: Infinity },
    ],
    [
      'of a paused Machine is left alone',
      { machine: inPhase('Running', 0, { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } }) },
      { do: 'keep', ms: Infinity },
    ],
  ];
  test.each(rows)('%s', (_what, facts, verdict) =>
    expect(judgeToken({ now: NOW, since: BORN, token, machine: machine(), awaited: true, limits, ...facts })).toEqual(
      verdict,
    ),
  );

  test('that is renewed differs in its expiration only', () =>
    expect(plain(extended(at(5)))).toEqual({ expiration: at(5) }));

  test('of several of a Machine is the same one each time', () => {
    const other = tokenSecret(machine(), { ...TOKEN_PARTS, id: 'aaaaaa' });
    expect([firstOf([token, other]), firstOf([other, token]), firstOf([])]).toEqual([other, other, undefined]);
  });
});

test('tokens of other installations, or of namespaces that are not looked after, are not even read', () => {
  expect(tokenSelector('here', '')).toBe('drover.dev/incarnation=here');
  expect(tokenSelector('here', 'herd')).toBe('drover.dev/incarnation=here,drover.dev/machine-namespace=herd');
});

describe('a Machine whose user data asks for a token', () => {
  const NONE = { at: 'absent', since: BORN } as const;
  const asked = { ...idle, askedAt: NOW };
  const raw = { machine: machine(recorded), vm: { ...vm, initialized: false }, calls: asked };
  const rows: Array<[string, Partial<MachineView>, string]> = [
    ['gets one before its VM is made', { vm: NONE, token: 'missing' }, 'VMCreated act CreateBootstrapToken'],
    ['gets its VM with the token', { vm: NONE, token: 'present' }, 'VMCreated act CreateVM'],
    ['waits while the tokens are not known', { vm: NONE, token: 'unknown' }, 'VMCreated wait BootstrapTokensUnknown'],
    [
      'waits while none can be made',
      { vm: NONE, token: { message: 'forbidden', retryAt: NOW + 5_000 } },
      'VMCreated wait BootstrapTokenFailed',
    ],
    [
      'gets none while it waits for its turn',
      { vm: NONE, token: 'missing', calls: { ...asked, full: ['createMachine'] } },
      'VMCreated wait WaitingForDriverSlot',
    ],
    ['is asked after first', { token: 'missing' }, 'VMCreated act GetVMStatus'],
    ['gets one before its VM is initialized', { ...raw, token: 'missing' }, 'VMInitialized act CreateBootstrapToken'],
    ['is initialized with the token', { ...raw, token: 'present' }, 'VMInitialized act InitializeVM'],
    [
      'fails when no token could be made in time',
      { now: BORN + CREATION, vm: NONE, token: 'missing' },
      'VMCreated fail CreationTimedOut',
    ],
  ];
  test.each(rows)('%s', (_what, facts, judgement) => {
    const { step, outcome } = plan(view(facts));
    expect(`${step} ${outcome.kind} ${'reason' in outcome ? outcome.reason : ''}`).toBe(judgement);
  });
});
