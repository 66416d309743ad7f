import { expect, test } from 'bun:test';
import type { Api } from '../runtime/client/api.ts';
import { FakeLog } from '../runtime/observability/log.fake.ts';
import { findHost } from './host.ts';

const { signal } = new AbortController();
const apiThat = (get: () => Promise<unknown>) => ({ get }) as unknown as Pick<Api, 'get'>;
const status = { nodeInfo: { bootID: 'boot-n' } };
const found = apiThat(async () => ({ metadata: { name: 'n', uid: 'uid-n' }, status }));
const failing = apiThat(() => Promise.reject(new Error('no route')));

test('the host is the Node of the name that the process was told, with its UID', async () => {
  expect(await findHost({ api: found, nodeName: 'n', log: new FakeLog() }, signal)).toEqual({
    name: 'n',
    uid: 'uid-n',
    bootID: 'boot-n',
  });
});

test('a host that cannot be read is known by its name alone, which is said', async () => {
  const log = new FakeLog();
  expect(await findHost({ api: failing, nodeName: 'n', log }, signal)).toEqual({ name: 'n', uid: undefined });
  expect(log.lines.map(({ level, fields }) => [level, fields['nodeName']])).toEqual([['warn', 'n']]);
});

test('without a name nobody asks', async () => {
  expect(await findHost({ api: failing, nodeName: '', log: new FakeLog() }, signal)).toBeUndefined();
});
