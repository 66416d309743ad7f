import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { KubeObject } from '../k8s/object.ts';
import { FakeLog } from '../observability/log.fake.ts';
import { Cache, type Change } from './cache.ts';

interface Sheep extends KubeObject {
  spec?: { pasture: string };
}

/** A sheep in namespace `farm`. */
function sheep(name: string, version: number, more: { uid?: string; pasture?: string } = {}): Sheep {
  const metadata = { name, namespace: 'farm', uid: more.uid ?? `uid-${name}`, resourceVersion: String(version) };
  return { metadata, spec: { pasture: more.pasture ?? 'hill' } };
}

/** A cache with an index, and what its listeners were told in short: `+` new, `~` changed, `-` gone, `!` of the first list. */
function watched() {
  const cache = new Cache<Sheep>({ freeze: true, indexes: { pasture: ({ spec }) => (spec ? [spec.pasture] : []) } });
  const told: string[] = [];
  cache.onChange((change) => told.push(short(change)));
  return { cache, told };
}

function short({ key, before, after, initial }: Change<Sheep>): string {
  const sign = before && after ? '~' : after ? '+' : '-';
  return `${initial ? '!' : ''}${sign}${key.slice('farm/'.length)}@${(after ?? before)?.metadata.resourceVersion}`;
}

const names = (herd: Sheep[]) => herd.map(({ metadata }) => metadata.name);

describe('content', () => {
  test('objects are found by key and by index, and follow their changes', () => {
    const { cache, told } = watched();
    cache.reset([sheep('dolly', 1), sheep('molly', 2)], '5');
    cache.put(sheep('polly', 6, { pasture: 'valley' }));
    cache.put(sheep('dolly', 7, { pasture: 'valley' }));
    cache.drop(sheep('molly', 8));
    expect(names(cache.list())).toEqual(['dolly', 'polly']);
    expect(cache.size).toBe(2);
    expect(cache.get('farm/dolly')?.metadata.resourceVersion).toBe('7');
    expect(names(cache.by('pasture', 'valley')).sort()).toEqual(['dolly', 'polly']);
    expect(cache.by('pasture', 'hill')).toEqual([]);
    expect(told).toEqual(['!+dolly@1', '!+molly@2', '+polly@6', '~dolly@7', '-molly@2']);
  });

  test('an index that nobody declared is an error that names those there are', () => {
    expect(() => watched().cache.by('colour', 'black')).toThrow('no index "colour": the cache has pasture');
  });

  test('managed fields are dropped, everything else is kept', () => {
    const cache = new Cache<Sheep>();
    const metadata = { ...sheep('dolly', 1).metadata, managedFields: [{ manager: 'kubectl' }] };
    cache.put({ kind: 'Sheep', metadata });
    expect(cache.get('farm/dolly')).toEqual({ kind: 'Sheep', metadata: sheep('dolly', 1).metadata });
  });

  test('as little is kept as asked for, and indexed', () => {
    const cache = new Cache<Sheep>({
      keep: ({ metadata, spec }) => ({ metadata: { ...metadata, labels: undefined }, ...(spec ? { spec } : {}) }),
      indexes: { pasture: ({ spec }) => (spec ? [spec.pasture] : []) },
    });
    const shorn = sheep('dolly', 1);
    cache.reset([{ ...shorn, metadata: { ...shorn.metadata, labels: { wool: 'white' } } }], '1');
    expect(cache.by('pasture', 'hill')).toEqual([shorn]);
  });

  test('with freeze on, whoever changes an object gets an error', () => {
    const { cache } = watched();
    cache.put(sheep('dolly', 1));
    expect(() => Object.assign(cache.get('farm/dolly')?.spec ?? {}, { pasture: 'x' })).toThrow(TypeError);
  });
});

describe('reset', () => {
  test('tells only of differences to what was there', () => {
    const { cache, told } = watched();
    cache.reset([sheep('same', 1), sheep('changed', 2), sheep('gone', 3)], '3');
    told.length = 0;
    cache.reset([sheep('same', 1), sheep('changed', 5), sheep('new', 6)], '9');
    expect(told).toEqual(['-gone@3', '~changed@5', '+new@6']);
    expect(names(cache.by('pasture', 'hill'))).toEqual(['same', 'changed', 'new']);
  });

  // hack/decisions/0028 O11
  test('tells of other content under a version that was there, and keeps what is the same', () => {
    const { cache, told } = watched();
    cache.reset([sheep('same', 1), sheep('restored', 2)], '3');
    const same = cache.get('farm/same');
    told.length = 0;
    cache.reset([sheep('same', 1), sheep('restored', 2, { pasture: 'valley' })], '9');
    expect(told).toEqual(['~restored@2']);
    expect(cache.get('farm/restored')?.spec?.pasture).toBe('valley');
    expect(names(cache.by('pasture', 'valley'))).toEqual(['restored']);
    expect(cache.get('farm/same')).toBe(same);
  });

  test('is complete before anybody is told', () => {
    const { cache } = watched();
    const sizes: number[] = [];
    cache.onChange(() => sizes.push(cache.size));
    cache.reset([sheep('a', 1), sheep('b', 2)], '2');
    expect(sizes).toEqual([2, 2]);
  });

  test('may go back to an older version, as after a restored backup', () => {
    const { cache } = watched();
    cache.reset([], '100');
    cache.reset([], '50');
    expect(cache.seen('100')).toBe(false);
  });
});

describe('an object made again under its name', () => {
  test('is gone and new in a reset', () => {
    const { cache, told } = watched();
    cache.reset([sheep('dolly', 1)], '1');
    cache.reset([sheep('dolly', 5, { uid: 'second' })], '5');
    expect(told).toEqual(['!+dolly@1', '-dolly@1', '+dolly@5']);
  });

  test('is gone and new when the watch missed its deletion', () => {
    const { cache, told } = watched();
    cache.put(sheep('dolly', 1));
    cache.put(sheep('dolly', 5, { uid: 'second' }));
    expect(told).toEqual(['+dolly@1', '-dolly@1', '+dolly@5']);
  });
});

describe('listeners', () => {
  test('one that throws is reported, and neither the cache nor the other listeners suffer', () => {
    const log = new FakeLog();
    const cache = new Cache<Sheep>({ log });
    const told: string[] = [];
    cache.onChange(() => {
      throw new Error('ouch');
    });
    cache.onChange((change) => told.push(short(change)));
    cache.put(sheep('dolly', 1));
    expect(told).toEqual(['+dolly@1']);
    expect(cache.size).toBe(1);
    expect(log.lines).toMatchObject([
      { level: 'error', message: 'cache listener failed', fields: { key: 'farm/dolly', error: new Error('ouch') } },
    ]);
  });

  test('are told no more once they have left', () => {
    const { cache, told } = watched();
    const leave = cache.onChange(() => told.push('again'));
    leave();
    cache.put(sheep('dolly', 1));
    expect(told).toEqual(['+dolly@1']);
  });
});

describe('waiting', () => {
  test('for the first list', async () => {
    const { cache } = watched();
    const synced = cache.whenSynced();
    cache.put(sheep('dolly', 1));
    expect(cache.synced).toBe(false);
    cache.reset([], '2');
    await synced;
    await cache.whenSynced();
    expect(cache.synced).toBe(true);
  });

  test.each([
    ['an object of that version', (cache: Cache<Sheep>) => cache.put(sheep('dolly', 1000))],
    ['a later version of another object', (cache: Cache<Sheep>) => cache.put(sheep('molly', 1001))],
    ['a deletion', (cache: Cache<Sheep>) => cache.drop(sheep('dolly', 1000))],
    ['a bookmark', (cache: Cache<Sheep>) => cache.mark('1000')],
    ['a fresh list', (cache: Cache<Sheep>) => cache.reset([], '1000')],
  ])('for our own write ends with %s', async (_what, see) => {
    const { cache } = watched();
    cache.reset([], '1');
    cache.mark('999');
    let seen = false;
    const waiting = cache.whenSeen(sheep('dolly', 1000)).then(() => (seen = true));
    await Promise.resolve();
    expect(seen).toBe(false);
    see(cache);
    await waiting;
    await cache.whenSeen(sheep('dolly', 7));
  });

  test('for an object without a version is refused', async () => {
    await expect(watched().cache.whenSeen({ metadata: { name: 'x' } })).rejects.toThrow('x has no resourceVersion');
  });

  test.each([
    ['it was dropped', (cache: Cache<Sheep>) => cache.drop(sheep('dolly', 9))],
    ['another took its name', (cache: Cache<Sheep>) => cache.put(sheep('dolly', 9, { uid: 'second' }))],
    ['a fresh list lacks it', (cache: Cache<Sheep>) => cache.reset([], '9')],
  ])('for a deletion ends when %s', async (_what, drop) => {
    const { cache } = watched();
    cache.reset([sheep('dolly', 1)], '1');
    const gone = cache.whenGone('farm/dolly', 'uid-dolly');
    cache.put(sheep('dolly', 2));
    drop(cache);
    await gone;
    await cache.whenGone('farm/dolly', 'uid-dolly');
  });

  test('ends with the signal', async () => {
    const { cache } = watched();
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(cache.whenSynced(signal)).rejects.toThrow('enough');
    await expect(cache.whenSeen(sheep('dolly', 1), signal)).rejects.toThrow('enough');
    await expect(cache.whenGone('farm/dolly', 'u', signal)).rejects.toThrow('enough');
  });
});

describe('whatever comes', () => {
  const one = fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    uid: fc.constantFrom('1', '2'),
    pasture: fc.constantFrom('hill', 'valley'),
  });
  const event = fc.oneof(
    fc.record({ type: fc.constant('put' as const), one }),
    fc.record({ type: fc.constant('drop' as const), one }),
    fc.record({ type: fc.constant('reset' as const), all: fc.uniqueArray(one, { selector: ({ name }) => name }) }),
  );

  test('indexes fit the content, and changes, replayed, give the content', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), (events) => {
        const { cache } = watched();
        const replayed = new Map<string, Sheep>();
        cache.onChange(({ key, before, after }) => {
          expect(replayed.get(key)).toEqual(before as Sheep);
          if (after) replayed.set(key, after);
          else replayed.delete(key);
        });
        for (const [version, event] of events.entries()) {
          if (event.type === 'reset')
            cache.reset(
              event.all.map((one) => sheep(one.name, version, one)),
              String(version),
            );
          else cache[event.type](sheep(event.one.name, version, event.one));
        }
        expect(new Set(cache.list())).toEqual(new Set(replayed.values()));
        for (const pasture of ['hill', 'valley']) {
          const there = cache.list().filter(({ spec }) => spec?.pasture === pasture);
          expect(new Set(cache.by('pasture', pasture))).toEqual(new Set(there));
        }
      }),
    );
  });
});
