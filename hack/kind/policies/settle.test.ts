import { expect, test } from 'bun:test';
import { settler } from './settle.ts';

/** A settler whose every `set` waits until it is let go. */
function scripted() {
  const done: string[] = [];
  const gates: Array<PromiseWithResolvers<void>> = [];
  const world = { wanted: 'a' };
  const settle = settler({
    wanted: () => world.wanted,
    async set(wanted) {
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      await gate.promise;
      done.push(wanted);
    },
  });
  const next = async () => {
    while (gates.length === 0) await Promise.resolve();
    return gates.shift() as PromiseWithResolvers<void>;
  };
  return { world, settle, done, next };
}

test('what is already so is not set again', async () => {
  const { settle, done, next } = scripted();
  const first = settle();
  (await next()).resolve();
  await first;
  await settle();
  expect(done).toEqual(['a']);
});

test('what changes meanwhile is set afterwards, once for all', async () => {
  const { world, settle, done, next } = scripted();
  const first = settle();
  const gate = await next();
  world.wanted = 'b';
  const [second, third] = [settle(), settle()];
  world.wanted = 'c';
  gate.resolve();
  await first;
  (await next()).resolve();
  await Promise.all([second, third]);
  expect(done).toEqual(['a', 'c']);
});

test('what failed is told, and tried again at the next call', async () => {
  const { settle, done, next } = scripted();
  const first = settle();
  (await next()).reject(new Error('no such node'));
  expect(first).rejects.toThrow('no such node');
  await first.catch(() => undefined);
  const second = settle();
  (await next()).resolve();
  await second;
  expect(done).toEqual(['a']);
});
