import { describe, expect, test } from 'bun:test';
import { type Answer, FakeStream, hang, json, status, turnUntil } from '../server.fake.ts';
import { HistoryLost } from './events.ts';
import { list, Scene, sheep } from './watch.fixture.ts';

/** Where a watch goes on after it ended: from its version, or with a list. */

/** A server's Timeout for the sake of a version, for this cause. */
const tooLarge = (cause: object): Answer =>
  json({ kind: 'Status', code: 504, reason: 'Timeout', details: { causes: [cause] } }, { status: 504 });

const gone = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };

describe('a watch whose version the server has forgotten lists anew', () => {
  test('when the server says so at once', async () => {
    using scene = new Scene(list(5, sheep('a', 1)), status(410, 'Expired'), list(9, sheep('b', 9)), hang);
    await scene.pause();
    expect(await scene.hear(2)).toEqual(['reset a @5', 'reset b @9']);
    await scene.ask(4);
    expect(scene.from).toEqual(['5', '9']);
  });

  test('when the server says so in an event', async () => {
    const stream = new FakeStream();
    using scene = new Scene(list(5), stream.answer, list(9), hang);
    await stream.event('ERROR', gone);
    await scene.pause();
    expect(await scene.hear(2)).toEqual(['reset @5', 'reset @9']);
  });

  test('when the server does not know it yet', async () => {
    using scene = new Scene(list(5), tooLarge({ reason: 'ResourceVersionTooLarge' }), list(3), hang);
    await scene.pause();
    expect(await scene.hear(2)).toEqual(['reset @5', 'reset @3']);
  });

  test('when an older server, below 1.19, does not know it yet', async () => {
    using scene = new Scene(list(5), tooLarge({ message: 'Too large resource version' }), list(3), hang);
    await scene.pause();
    expect(await scene.hear(2)).toEqual(['reset @5', 'reset @3']);
  });

  test('when an event says that it does not know it yet', async () => {
    const stream = new FakeStream();
    using scene = new Scene(list(5), stream.answer, list(3), hang);
    const details = { causes: [{ reason: 'ResourceVersionTooLarge' }] };
    await stream.event('ERROR', { kind: 'Status', code: 504, reason: 'Timeout', details });
    await scene.pause();
    expect(await scene.hear(2)).toEqual(['reset @5', 'reset @3']);
  });

  test('when history went back', async () => {
    const stream = new FakeStream();
    using scene = new Scene(list(50), stream.answer, list(9), hang);
    await stream.event('ADDED', sheep('a', 8));
    await turnUntil(() => scene.log.lines.length > 0);
    expect(scene.log.lines[0]?.fields['error']).toEqual(new HistoryLost('50', '8'));
    await scene.pause();
    expect(await scene.hear(2)).toEqual(['reset @50', 'reset @9']);
  });
});

// hack/decisions/0051 L115
describe('a watch that was cut asks which version the server has come to, before that can pass the one that was seen', () => {
  const refused = status(503, 'ServiceUnavailable');

  test.each<[string, Answer[], (stream: FakeStream) => Promise<void>]>([
    ['and cut within a line', [], (stream) => stream.write('{"type":"ADDED","obj').then(() => stream.end())],
    ['and ended before it was to', [], (stream) => stream.end()],
    ['and then refused', [refused, refused], (stream) => stream.end()],
    ['and then told that the store is away', [status(500, 'InternalError')], (stream) => stream.end()],
  ])('%s', async (_what, away, cut) => {
    const [first, second] = [new FakeStream(), new FakeStream()];
    using scene = new Scene(list(50, sheep('lost', 50)), first.answer, ...away, list(41), list(42), second.answer);
    await first.event('ADDED', sheep('lost too', 51));
    await scene.hear(2);
    await cut(first);
    for (let pauses = 0; pauses < away.length + 2; pauses++) await scene.pause();
    // What it has come past the version of before by then it tells, and nothing of what is gone.
    await second.event('ADDED', sheep('new', 52));
    expect((await scene.hear(4)).slice(2)).toEqual(['reset @42', 'put new@52']);
    expect(scene.from).toEqual(['50', '42']);
  });

  test('once, whatever of its answers is lost, and goes on where it has not gone back', async () => {
    const [first, second] = [new FakeStream(), new FakeStream()];
    using scene = new Scene(list(5), first.answer, refused, list(6), refused, list(6), second.answer);
    await first.event('ADDED', sheep('a', 6));
    await scene.hear(2);
    await first.end();
    for (let pauses = 0; pauses < 3; pauses++) await scene.pause();
    await second.event('ADDED', sheep('b', 7));
    expect(await scene.hear(3)).toEqual(['reset @5', 'put a@6', 'put b@7']);
    expect(scene.from).toEqual(['5', '6', '6']);
  });
});

describe('a watch that breaks goes on from the last version', () => {
  test.each([
    ['cut within a line', '{"type":"ADDED","obj'],
    ['a line that is no event', '{"type":\n'],
    ['an error of the server', `{"type":"ERROR","object":{"kind":"Status","code":500,"message":"etcd is away"}}\n`],
  ])('%s', async (_what, text) => {
    const [first, second] = [new FakeStream(), new FakeStream()];
    using scene = new Scene(list(5), first.answer, list(6), second.answer);
    await first.event('ADDED', sheep('a', 6));
    await scene.hear(2);
    await first.write(text);
    if (!text.endsWith('\n')) await first.end();
    await scene.pause();
    await second.event('ADDED', sheep('b', 7));
    expect(await scene.hear(3)).toEqual(['reset @5', 'put a@6', 'put b@7']);
    expect(scene.from).toEqual(['5', '6']);
  });

  test('a silent connection', async () => {
    const [first, second] = [new FakeStream(), new FakeStream()];
    using scene = new Scene(list(5), first.answer, list(8), second.answer);
    await first.event('ADDED', sheep('a', 6));
    await scene.hear(2);
    await scene.clock.advance(60_000);
    await first.event('BOOKMARK', { metadata: { resourceVersion: '8' } });
    await scene.hear(3);
    await scene.clock.advance(89_999);
    expect(scene.server.received.length).toBe(2);
    await scene.clock.advance(1);
    await first.left;
    await scene.pause();
    await scene.ask(4);
    expect(scene.from).toEqual(['5', '8']);
  });

  test.each([
    ['4', 'is followed by a list: history went back', ['reset @5', 'reset @6'], ['5', '6']],
    ['5', 'goes on when nothing has happened', ['reset @5'], ['5', '5']],
    ['9', 'goes on when something has happened, of which it will tell', ['reset @5'], ['5', '5']],
  ])(
    'but a connection that was silent from its beginning asks for one object, and at version %s %s',
    async (now, _, told, from) => {
      const rest = now === '4' ? [list(6), hang] : [hang];
      using scene = new Scene(list(5), hang, list(Number(now)), ...rest);
      await scene.ask(2);
      await scene.clock.advance(90_000);
      await scene.pause();
      await scene.ask(3);
      expect(scene.server.received[2]?.path).toContain('limit=1');
      if (now === '4') await scene.pause();
      await scene.ask(3 + rest.length);
      expect([scene.told, scene.from]).toEqual([told, from]);
    },
  );

  test('and is no reason to worry: a server sends no bookmarks about a resource without any objects', async () => {
    using scene = new Scene(list(5), hang, list(5), hang);
    await scene.ask(2);
    await scene.clock.advance(90_000);
    await turnUntil(() => scene.log.lines.length > 0);
    expect(scene.log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual(['debug watch interrupted']);
  });
});
