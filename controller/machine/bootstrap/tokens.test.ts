import { describe, expect, test } from 'bun:test';
import type { Cluster } from '../../../schemas/cluster.ts';
import { at, BORN, inPhase, machine, machineClass } from '../../../test/fixtures/objects.ts';
import { ApiError } from '../../runtime/client/api.ts';
import { recorded, vm } from '../flow/view.fixture.ts';
import { TOKEN_PARTS } from './token.fixture.ts';
import { tokenSecret } from './token.ts';
import { bench } from './tokens.fixture.ts';

const ours = { at: 'ours', class: machineClass({ secretRef: { name: 's' } }) } as const;
const UNKNOWN = { at: 'unknown' } as const;

const refusal = (reason: string) => new ApiError(`create secrets: ${reason}`, { status: 409, reason });

describe('whether a token is needed', () => {
  const synced = (options = {}) => {
    const all = bench(options);
    all.cache.reset([], '1');
    return all;
  };
  test('depends on the user data, the target cluster and what is still to be done', () => {
    const one = machine();
    expect(synced().tokens.fact(one, ours, UNKNOWN)).toBe('missing');
    expect(synced({ userData: 'none' }).tokens.fact(one, ours, UNKNOWN)).toBe('unwanted');
    expect(synced({ target: false }).tokens.fact(one, ours, UNKNOWN)).toBe('unwanted');
    expect(synced().tokens.fact(one, { at: 'missing', name: 'small' }, UNKNOWN)).toBe('unwanted');
    expect(synced().tokens.fact(one, { at: 'ours', class: machineClass() }, UNKNOWN)).toBe('unwanted');
    expect(synced().tokens.fact(machine(recorded), ours, UNKNOWN)).toBe('unwanted');
    expect(synced().tokens.fact(machine(recorded), ours, vm)).toBe('unwanted');
    const unfinished = { ...vm, initialized: false };
    expect(synced().tokens.fact(machine(recorded), ours, unfinished)).toBe('missing');
    expect(synced().tokens.fact(inPhase('Running', 0, recorded), ours, unfinished)).toBe('unwanted');
  });

  test('cannot be said before the tokens are known', () =>
    expect(bench().tokens.fact(machine(), ours, UNKNOWN)).toBe('unknown'));

  test('ends when there is one, which is found again after a restart', () => {
    const { cache, tokens } = bench();
    cache.reset([tokenSecret(machine(), TOKEN_PARTS)], '1');
    expect(tokens.fact(machine(), ours, UNKNOWN)).toBe('present');
    expect(tokens.textOf(machine())).toBe('abcdef.0123456789abcdef');
    expect(tokens.textOf(machine({ metadata: { uid: 'another of that name' } }))).toBeUndefined();
  });
});

describe('a token that is made', () => {
  test('is random, lives until creation times out, and is seen before anything else happens', async () => {
    const { made, tokens } = bench();
    await Promise.all(await tokens.make(machine()));
    await tokens.make(machine({ metadata: { uid: 'other' } }));
    const [one, two] = made;
    expect(one?.metadata.name).toMatch(/^bootstrap-token-[0-9a-z]{6}$/);
    expect(atob(one?.data?.['token-secret'] ?? '')).toMatch(/^[0-9a-z]{16}$/);
    expect(atob(one?.data?.['expiration'] ?? '')).toBe(at(1_200));
    expect(one?.metadata.name).not.toBe(two?.metadata.name as string);
    expect(tokens.textOf(machine())).toStartWith(`${one?.metadata.name.slice(-6)}.`);
  });

  // hack/decisions/0028 W5
  test.each([
    ['spec', machine({ spec: { creationTimeout: '2562047h' } })],
    [
      'annotations',
      machine({ metadata: { annotations: { 'node.machine.sapcloud.io/effective-creation-timeout': '2562047h' } } }),
    ],
  ])('lives for an hour, whatever its Machine’s %s ask for', async (_where, one) => {
    const { made, tokens } = bench();
    await tokens.make(one);
    expect(atob(made[0]?.data?.['expiration'] ?? '')).toBe(at(3_600));
  });

  // hack/decisions/0028 W5
  test('is renewed before it is given to a VM, when half of its time is over', async () => {
    const { calls, cache, clock, made, tokens } = bench({ awaited: false });
    cache.reset([], '1');
    const patient = machine({ spec: { creationTimeout: '10h' } });
    await tokens.make(patient);
    await clock.advance(1_799_000);
    expect(tokens.fact(patient, ours, UNKNOWN)).toBe('present');
    await clock.advance(1_000);
    expect(tokens.fact(patient, ours, UNKNOWN)).toBe('missing');
    await tokens.make(patient);
    expect(made).toHaveLength(1);
    expect(calls).toEqual([`patch ${made[0]?.metadata.name} ${at(5_400)}`]);
  });

  test('never takes a Secret that is there already: another id is drawn', async () => {
    const { made, tokens } = bench({ refusals: [refusal('AlreadyExists'), refusal('AlreadyExists')] });
    await tokens.make(machine());
    expect(made).toHaveLength(1);
  });

  test('and refused is tried again a while later, and what was said against it is known', async () => {
    const { made, cache, clock, tokens } = bench({ refusals: [refusal('Forbidden'), refusal('Forbidden')] });
    cache.reset([], '1');
    const fact = () => tokens.fact(machine(), ours, UNKNOWN);
    const waits: number[] = [];
    for (const _ of [1, 2]) {
      expect(await tokens.make(machine())).toEqual([]);
      const failure = fact();
      if (typeof failure !== 'object') throw new Error(`it says ${failure}`);
      expect(failure.message).toBe('create secrets: Forbidden');
      waits.push(failure.retryAt - clock.now());
      await clock.advance(failure.retryAt - clock.now());
      expect(fact()).toBe('missing');
    }
    expect(waits[0]).toBeWithin(4_000, 6_001);
    expect(waits[1]).toBeGreaterThan(waits[0] ?? 0);
    await tokens.make(machine());
    expect([made.length, fact()]).toEqual([1, 'present']);
  });
});

describe('a look at a token', () => {
  const key = 'kube-system/bootstrap-token-abcdef';
  const look = async (one?: ReturnType<typeof machine>, options = {}) => {
    const { calls, cluster, machines, tokens, put } = bench(options);
    put(tokenSecret(machine(), TOKEN_PARTS));
    if (one) machines.put(one);
    await tokens.reconcile(cluster, key);
    return calls;
  };
  test.each([
    ['keeps that of a Machine that is to join', machine(), []],
    ['deletes that of a Running Machine', inPhase('Running'), ['delete bootstrap-token-abcdef']],
    ['deletes that of a Machine that is gone', undefined, ['delete bootstrap-token-abcdef']],
    [
      'deletes that of a Machine that is gone, although another has its name',
      machine({ metadata: { uid: 'other' } }),
      ['delete bootstrap-token-abcdef'],
    ],
    [
      'renews that of a Machine that was given more time',
      machine({ spec: { creationTimeout: '1h' } }),
      ['patch bootstrap-token-abcdef 2026-01-01T01:00:00Z'],
    ],
  ] as const)('%s', async (_what, one, calls) => expect(await look(one)).toEqual([...calls]));

  // hack/decisions/0051 L11
  test('renews that of a Machine that has its time again, as it stands on the Machine, or since this process looks', async () => {
    const restarted = machine({ status: { clocksFrom: at(600) } });
    expect(await look(restarted)).toEqual([]);
    const later = { startS: 1_300 };
    expect(await look(machine({ status: { clocksFrom: at(1_250) } }), later)).toEqual([
      'patch bootstrap-token-abcdef 2026-01-01T00:40:50Z',
    ]);
    const gates = { of: () => ({ judgesFrom: BORN + 1_250_000 }) };
    expect(await look(machine(), { ...later, gates })).toEqual(['patch bootstrap-token-abcdef 2026-01-01T00:40:50Z']);
    expect(await look(machine(), later)).toEqual(['delete bootstrap-token-abcdef']);
  });

  // hack/decisions/0051 L11
  test('leaves that of a Machine alone whose Cluster is paused', async () => {
    const label = { 'cluster.k8s.io/cluster-name': 'far' };
    const clusters = new Map([['herd/far', { metadata: { name: 'far' }, spec: { paused: true } } as Cluster]]);
    expect(await look(inPhase('Running', 0, { metadata: { labels: label } }), { clusters })).toEqual([]);
  });

  // hack/decisions/0028 W5
  test('lets that of a Machine that was given more time end while no VM is awaited', async () =>
    expect(await look(machine({ spec: { creationTimeout: '1h' } }), { awaited: false })).toEqual([]));

  test.each([
    ['is let alone while the API server has the Machine that the cache does not show', machine(), []],
    [
      'is deleted when the API server has another Machine of that name',
      machine({ metadata: { uid: 'other' } }),
      ['delete bootstrap-token-abcdef'],
    ],
  ] as const)('%s', async (_what, live, expected) => {
    const { calls, cluster, tokens, put } = bench({ live });
    put(tokenSecret(machine(), TOKEN_PARTS));
    expect(await tokens.reconcile(cluster, key)).toMatchObject(expected.length > 0 ? {} : { retry: true });
    expect(calls).toEqual([...expected]);
  });

  test('that is renewed is looked at when half of its time is over, though the write may change nothing and so tell nobody', async () => {
    const { cluster, machines, tokens, put } = bench();
    put(tokenSecret(machine(), TOKEN_PARTS));
    machines.put(machine({ spec: { creationTimeout: '1h' } }));
    expect(await tokens.reconcile(cluster, key)).toMatchObject({ after: 1_800_000 });
  });

  test('that does not say whose it is changes nothing', async () => {
    const { calls, cluster, tokens, put } = bench();
    const { metadata, ...rest } = tokenSecret(machine(), TOKEN_PARTS);
    put({ ...rest, metadata: { ...metadata, annotations: {} } });
    expect([await tokens.reconcile(cluster, key), calls]).toEqual([{}, []]);
  });

  test('that is gone does nothing', async () => {
    const { cluster, tokens } = bench();
    expect(await tokens.reconcile(cluster, key)).toEqual({});
  });
});
