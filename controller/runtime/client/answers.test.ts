import { describe, expect, test } from 'bun:test';
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { AnswerTooLarge, AnswerUnreadable, beginningWithin, jsonWithin, textWithin } from './answers.ts';

// hack/decisions/0028 W8

const MIB = 1 << 20;

test.each([
  ['{"a":"wôol"}', { a: 'wôol' }],
  ['null', null],
])('%s is read as it stands', async (text, value) => {
  expect(await jsonWithin<unknown>(new Response(text), MIB)).toEqual(value);
});

test('as many bytes as allowed are read, and no more', async () => {
  const text = 'ô'.repeat(50);
  expect(await textWithin(new Response(text), 100)).toBe(text);
  await expect(textWithin(new Response(text), 99)).rejects.toThrow(AnswerTooLarge);
  expect(await beginningWithin(new Response('wool and mutton'), 4)).toBe('wool');
  expect(await textWithin(new Response(null), 0)).toBe('');
});

test('what is no JSON is told without a word of it', async () => {
  const error = await jsonWithin(new Response('my-role-name\n'), MIB).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(AnswerUnreadable);
  expect(String(error)).not.toContain('role');
});

/** A server that writes its answer piece by piece for as long as somebody takes it; how much was taken. */
async function endless(head: string, piece: Buffer) {
  let taken = 0;
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    const pour = (): void => {
      while (socket.writable) {
        taken += piece.length;
        if (!socket.write(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])))
          return void socket.once('drain', pour);
      }
    };
    socket.on('error', () => {});
    socket.on('close', () => closed.resolve());
    socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\n${head}transfer-encoding: chunked\r\n\r\n`, pour));
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/`,
    closed: closed.promise,
    taken: () => taken,
    [Symbol.dispose]: () => void server.close(),
  };
}

describe('an endless answer is given up with its connection', () => {
  test('as it is', async () => {
    using server = await endless('', Buffer.alloc(MIB, 'a'));
    await expect(textWithin(await fetch(server.url), 4 * MIB)).rejects.toThrow('more than 4096 KiB came');
    await server.closed;
    expect(server.taken()).toBeLessThan(64 * MIB);
  });

  test('packed', async () => {
    // Members of gzip may follow each other without end (RFC 1952, 2.2).
    using server = await endless('content-encoding: gzip\r\n', gzipSync(Buffer.alloc(64 * MIB)));
    const answer = await fetch(server.url, { decompress: false });
    await expect(textWithin(answer, 4 * MIB)).rejects.toThrow('more than 4096 KiB came');
    await server.closed;
  });
});

describe('a packed answer', () => {
  const packed = (text: string, encoding = 'gzip') =>
    new Response(gzipSync(text), { headers: { 'content-encoding': encoding } });

  test('is unpacked', async () => {
    expect(await textWithin(packed('wool'), MIB)).toBe('wool');
  });

  test('that is larger than it seems (a bomb) is not', async () => {
    await expect(textWithin(packed('x'.repeat(MIB + 1)), MIB)).rejects.toThrow(AnswerTooLarge);
    expect(await beginningWithin(packed('x'.repeat(MIB)), MIB)).toBe('');
  });

  test('that is damaged, or packed otherwise, is told', async () => {
    await expect(textWithin(packed('wool', 'br'), MIB)).rejects.toThrow('packed in a way that was not asked for');
    const damaged = new Response('wool', { headers: { 'content-encoding': 'gzip' } });
    await expect(textWithin(damaged, MIB)).rejects.toThrow('cannot be unpacked');
  });
});
