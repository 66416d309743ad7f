import { expect, test } from 'bun:test';
import { FakeClock } from '../clock.fake.ts';
import { OpenShare } from './openshare.ts';

// hack/decisions/0028 W8

const asker = { priority: 0, flow: [] };
const never = new AbortController().signal;

/** A share, and who is in. */
function sharing(most: () => number) {
  const share = new OpenShare({ most, clock: new FakeClock() });
  const inside: string[] = [];
  const enter = async (name: string, signal = never) => {
    const leave = await share.enter(signal, asker);
    inside.push(name);
    return leave;
  };
  return { inside, enter };
}

test('so many are open at once, and the others follow in the order in which they came', async () => {
  const { inside, enter } = sharing(() => 2);
  const [a, b] = await Promise.all([enter('a'), enter('b')]);
  const others = [enter('c'), enter('d')];
  await Promise.resolve();
  expect(inside).toEqual(['a', 'b']);
  a();
  a();
  await others[0];
  expect(inside).toEqual(['a', 'b', 'c']);
  b();
  await others[1];
  expect(inside).toEqual(['a', 'b', 'c', 'd']);
});

test('who gives up waiting takes no place', async () => {
  const { inside, enter } = sharing(() => 1);
  const leave = await enter('a');
  const enough = new AbortController();
  const late = enter('late', enough.signal);
  const next = enter('next');
  enough.abort(new Error('enough'));
  await expect(late).rejects.toThrow('enough');
  leave();
  await next;
  expect(inside).toEqual(['a', 'next']);
  await expect(enter('no', AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
});

test('a share that grows lets more in at the next look', async () => {
  let most = 0;
  const { inside, enter } = sharing(() => most);
  await enter('a');
  const b = enter('b');
  most = 3;
  await enter('c');
  await b;
  expect(inside).toEqual(['a', 'b', 'c']);
});
