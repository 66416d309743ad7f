import { expect, test } from 'bun:test';
import { join } from 'node:path';

// hack/decisions/0028 O30: in a process of its own, for its memory is measured. Answers have 64 KiB, and are good for an hour.
const SCRIPT = `
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { createServer } from 'node:net';
import { systemClock } from '${join(import.meta.dir, 'clock.ts')}';
import { resolveBy } from '${join(import.meta.dir, 'dns/resolve.ts')}';

const MANY = 4000;
function answer(query, many, truncated) {
  let end = 12;
  while (query[end] !== 0) end += query[end] + 1;
  end += 5;
  const n = query[end - 3] === 1 ? many : 0;
  const head = Buffer.from([query[0], query[1], truncated ? 0x83 : 0x81, 0x80, 0, 1, n >> 8, n & 255, 0, 0, 0, 0]);
  const records = Buffer.alloc(16 * n);
  for (let at = 0; at < n; at++) records.set([0xc0, 12, 0, 1, 0, 1, 0, 0, 0x0e, 0x10, 0, 4, 192, 1, at >> 8, at & 255], 16 * at);
  return Buffer.concat([head, query.subarray(12, end), records]);
}
const answered = (query, { port, address }) => udp.send(answer(query, 0, query[query.indexOf(0, 12) + 2] === 1), port, address);
let udp = createSocket('udp4').on('message', answered);
const tcp = createServer((socket) => {
  let read = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (data) => {
    read = Buffer.concat([read, data]);
    while (read.length > 2 && read.length >= 2 + read.readUInt16BE(0)) {
      const query = read.subarray(2, 2 + read.readUInt16BE(0));
      read = read.subarray(2 + query.length);
      const message = answer(query, MANY, false);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(message.length);
      socket.write(Buffer.concat([length, message]));
    }
  });
});
// The port that one of them gets may be taken for the other: then another one is.
const listens = () => new Promise((resolve) => tcp.once('error', () => resolve(false)).listen(udp.address().port, '127.0.0.1', () => resolve(true)));
const isBound = () => new Promise((resolve) => udp.bind(0, '127.0.0.1', resolve)).then(listens);
while (!(await isBound())) {
  await new Promise((resolve) => udp.close(resolve));
  udp = createSocket('udp4').on('message', answered);
}
const { port } = udp.address();

const questioner = () => {
  const resolver = new Resolver();
  resolver.setServers(['127.0.0.1:' + port]);
  return resolver;
};
const resolve = resolveBy({ clock: systemClock, questioner, hosts: () => new Map(), search: () => ({ domains: [], ndots: 1 }), isSixOnly: () => false });
const refused = (name) => resolve(name).then(() => { throw new Error('it was not refused'); }, () => {});
const mib = () => (Bun.gc(true), Math.round(process.memoryUsage.rss() / (1 << 20)));
await refused('name-0.tenant.example.');
const before = mib();
for (let at = 1; at <= 50; at++) await refused('name-' + at + '.tenant.example.');
await Bun.sleep(500);
console.log(JSON.stringify({ before, after: mib() }));
process.exit(0);
`;

test('names of a tenant take no memory once they are resolved', async () => {
  const child = Bun.spawn([process.execPath, '-e', SCRIPT], { stdout: 'pipe', timeout: 100_000 });
  const { before, after } = JSON.parse(await new Response(child.stdout).text());
  expect(after - before).toBeLessThan(20);
}, 110_000);
