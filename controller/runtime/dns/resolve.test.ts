import { expect, test } from 'bun:test';
import { join } from 'node:path';

// hack/decisions/0028 T17, O21: in a process of its own, for threads are the process's.
const SCRIPT = `
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { systemClock } from '${join(import.meta.dir, '../clock.ts')}';
import { judgedSend } from '${join(import.meta.dir, '../client/judgedsend.ts')}';
import { trustIn } from '${join(import.meta.dir, 'embedded.ts')}';
import { resolveBy, systemResolve } from '${join(import.meta.dir, 'resolve.ts')}';

const asked = [];
let begun = 0;
const server = createSocket('udp4');
server.on('message', (query, { port, address }) => {
  const name = query.subarray(13, 13 + query[12]).toString();
  const end = query.indexOf(0, 12) + 5;
  const isA = query[end - 3] === 1;
  if (performance.now() - begun < 900) asked.push(name);
  if (name.startsWith('silent')) return;
  const head = Buffer.concat([query.subarray(0, 2), Buffer.from([0x81, name === 'none' ? 0x83 : 0x80, 0, 1, 0, isA && name !== 'none' ? 1 : 0, 0, 0, 0, 0])]);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 5, 0, 4, 192, 0, 2, 7]);
  server.send(Buffer.concat([head, query.subarray(12, end), ...(isA && name !== 'none' ? [record] : [])]), port, address);
});
await new Promise((resolve) => server.bind(0, '127.0.0.1', resolve));
const questioner = () => {
  const resolver = new Resolver({ timeout: 1_000, tries: 3 });
  resolver.setServers(['127.0.0.1:' + server.address().port]);
  return resolver;
};
const resolve = resolveBy({ clock: systemClock, questioner, hosts: () => new Map(), search: () => ({ domains: [], ndots: 1 }), isSixOnly: () => false });

const send = judgedSend({ trust: trustIn(['.silent.example']), resolve, proxies: () => undefined, clock: { ...systemClock, monotonic: () => 0 } });
begun = performance.now();
const silent = [];
let ended = 0;
for (let n = 0; n < 20; n++) {
  for (let again = 0; again < 3; again++) silent.push(resolve('silent' + n + '.example.test.').finally(() => ended++));
  silent.push(resolve('silent' + n + '.herd.svc.cluster.local'));
  silent.push(send('https://silent' + n + '.silent.example./'));
}
Promise.allSettled(silent);
const told = (promise) => promise.catch(({ name, code, message }) => ({ name, code, message }));
const answers = {
  address: await told(resolve('answered.example.test.')),
  local: await told(resolve('answered.svc.cluster.local')),
  none: await told(resolve('none.example.test.')),
  hosts: await told(systemResolve('localhost')),
  threads: await new Promise((resolve) => lookup('localhost', (error) => resolve(error === null))),
};
answers.ended = ended;
answers.asked = asked.filter((name) => name === 'silent19').length;
console.log(JSON.stringify(answers));
process.exit(0);
`;

test('names that no DNS server answers keep nobody waiting, and each is asked for once at a time', async () => {
  const child = Bun.spawn([process.execPath, '-e', SCRIPT], { stdout: 'pipe', timeout: 30_000 });
  const { asked, hosts, ...answers } = JSON.parse(await new Response(child.stdout).text());
  expect(answers).toEqual({
    address: ['192.0.2.7'],
    local: ['192.0.2.7'],
    none: {
      name: 'NameUnresolved',
      code: 'DNS_ENOTFOUND',
      message: 'the name none.example.test. is not resolved: DNS_ENOTFOUND',
    },
    threads: true,
    // Not one of those that nobody answers was given up before.
    ended: 0,
  });
  expect(hosts).toContain('127.0.0.1');
  // Before anything is asked again: both families of three names: one that is judged, one in .local, and the one under a suffix that the operator vouches for.
  expect(asked).toBeLessThanOrEqual(6);
}, 60_000);
