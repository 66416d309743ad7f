import { describe, expect, test } from 'bun:test';
import { machine, machineClass } from '../../../test/fixtures/objects.ts';
import { ApiError } from '../../runtime/client/api.ts';
import { UnseenTokens } from './token.ts';
import { bench } from './tokens.fixture.ts';

/** A cluster whose cache shows nothing. */
const never = () => ({ tokens: { whenSeen: () => new Promise<never>(() => {}) } });
const ours = { at: 'ours', class: machineClass({ secretRef: { name: 's' } }) } as const;

// hack/decisions/0051 L48
describe('a token that the cache does not show yet', () => {
  const stale = () => {
    const stage = bench();
    stage.cache.reset([], '1');
    stage.watch.stale = true;
    const { tokens } = stage;
    return { ...stage, fact: () => tokens.fact(machine(), ours, { at: 'unknown' }) };
  };

  test('is there all the same, and none is made beside it', async () => {
    const { made, tokens, fact } = stale();
    await tokens.make(machine());
    expect([made.length, fact()]).toEqual([1, 'present']);
    expect(tokens.textOf(machine())).toStartWith(`${made[0]?.metadata.name.slice(-6)}.`);
    expect(tokens.textOf(machine({ metadata: { uid: 'another of that name' } }))).toBeUndefined();
    await tokens.make(machine());
    expect(made).toHaveLength(1);
  });

  test('is renewed like any other', async () => {
    const { calls, clock, made, tokens } = stale();
    const patient = machine({ spec: { creationTimeout: '10h' } });
    await tokens.make(patient);
    await clock.advance(1_800_000);
    expect(tokens.fact(patient, ours, { at: 'unknown' })).toBe('missing');
    await tokens.make(patient);
    expect(tokens.fact(patient, ours, { at: 'unknown' })).toBe('present');
    expect([made.length, calls]).toEqual([1, [expect.stringMatching(/^patch bootstrap-token-/)]]);
  });

  test.each([
    ['shows it', 'present'],
    ['shows that somebody has deleted it', 'missing'],
  ] as const)('is believed no longer once the cache %s', async (_what, expected) => {
    const { cache, made, tokens, fact } = stale();
    const expectations = await tokens.make(machine());
    cache.reset(expected === 'present' ? made : [], '9');
    await Promise.all(expectations);
    expect(fact()).toBe(expected);
    cache.reset([], '10');
    expect(fact()).toBe('missing');
  });

  test('and is gone when it is to be renewed is made anew', async () => {
    const { cluster, clock, made, tokens } = stale();
    const patient = machine({ spec: { creationTimeout: '10h' } });
    await tokens.make(patient);
    await clock.advance(1_800_000);
    const gone = new ApiError('patch secrets: NotFound', { status: 404, reason: 'NotFound' });
    Object.assign(cluster.api, { patch: () => Promise.reject(gone) });
    await tokens.make(patient);
    expect(tokens.fact(patient, ours, { at: 'unknown' })).toBe('missing');
    await tokens.make(patient);
    expect(made).toHaveLength(2);
  });

  // hack/decisions/0051 L89
  test('is that of no other cluster that the Machine is moved to: its own is made there', async () => {
    const unseen = new UnseenTokens();
    const [here, there] = [never(), never()];
    const token = { metadata: { name: 'bootstrap-token-a' } };
    void unseen.made(here, machine(), token);
    const names = [here, there].map((target) => unseen.of(target, machine())?.metadata.name);
    expect(names).toEqual(['bootstrap-token-a', undefined]);
  });

  test('is forgotten with its Machine', async () => {
    const { tokens, fact } = stale();
    await tokens.make(machine());
    tokens.forget('uid-m');
    expect(fact()).toBe('missing');
  });

  test('and of which no answer came is looked for before another is made', async () => {
    const { calls, made, tokens, watch, fact } = stale();
    watch.lostAnswers = 1;
    await expect(tokens.make(machine())).rejects.toThrow('reset');
    expect(fact()).toBe('missing');
    await tokens.make(machine());
    expect([made.length, fact()]).toEqual([1, 'present']);
    expect(calls).toEqual(['list drover.dev/incarnation=here,drover.dev/machine-uid=uid-m']);
  });
});
