import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { examplesFolder } from '../../schemas/examples.fixture.ts';
import { expectGolden } from '../golden.ts';
import { type OwnCluster, ownControlPlane } from './support/controlplane.ts';
import { startRegistered, type WebhookProcess } from './support/webhookprocess.ts';

/** Slips of the pen as people make them: what they read in the terminal (hack/decisions/0051 U3 among them). */

const folder = join(examplesFolder, 'mistakes');

let cluster: OwnCluster;
let webhook: WebhookProcess;

const apply = (path: string) => cluster.kubectl(['apply', '-f', path]);

beforeAll(async () => {
  cluster = await ownControlPlane();
  expect(await apply(join(examplesFolder, 'herd.yaml'))).toMatchObject({ code: 0 });
  webhook = await startRegistered(cluster);
}, 180_000);

afterAll(async () => {
  await webhook?.stop();
  await cluster?.end();
});

test('each mistake is refused in one sentence', async () => {
  const said: string[] = [];
  for (const file of readdirSync(folder).sort()) {
    const { code, stdout, stderr } = await apply(join(folder, file));
    expect([file, code, stdout, stderr.trim().split('\n').length]).toEqual([file, 1, '', 1]);
    said.push(`${file}\n${stderr}`);
  }
  await expectGolden(join(import.meta.dir, 'testdata/mistakes.txt'), said.join('\n'));
});
