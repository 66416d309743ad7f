import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { release } from '../../controller/runtime/release.ts';
import { applyManifests, readManifests } from '../../hack/controlplane/manifests.ts';
import { buildImage } from '../../hack/imagebuild/build.ts';
import { USER } from '../../hack/imagebuild/facts.ts';
import { until } from '../../hack/lib/until.ts';
import { ownArch } from '../../hack/tools/platform.ts';
import { run } from '../../hack/tools/run.ts';
import { reviewOf } from '../admission/review.ts';
import { type Contained, canContain, type Rootfs, start, unpack } from './support/container.ts';
import { type Cluster, controlPlane } from './support/controlplane.ts';
import { Herd } from './support/herd.ts';

setDefaultTimeout(180_000);
const RBAC = join(import.meta.dir, '../../charts/drover/files/rbac');
const folder = mkdtempSync(join(tmpdir(), 'image-'));
let archive: string;

beforeAll(async () => {
  const arch = ownArch();
  if (arch !== 'amd64' && arch !== 'arm64') throw new Error(`no image is built for ${arch}`);
  archive = (await buildImage({ arch, folder })).archive;
});
afterAll(() => rmSync(folder, { recursive: true }));

test('the same working tree gives the same image, byte by byte', async () => {
  const first = await Bun.file(archive).bytes();
  const arch = ownArch() === 'amd64' ? 'amd64' : 'arm64';
  const again = await buildImage({ arch, folder: join(folder, 'again') });
  expect(Bun.SHA256.hash(await Bun.file(again.archive).bytes(), 'hex')).toBe(Bun.SHA256.hash(first, 'hex'));
});

test('the program says the commit that it was built from', async () => {
  expect(await run([join(folder, `drover-${ownArch()}`), '--version'])).toBe(`${release()}\n`);
});

describe.skipIf(!canContain)('in a container: no other files, none to write but in /tmp, nobody special', () => {
  let cluster: Cluster;
  let rootfs: Rootfs;

  beforeAll(async () => {
    cluster = await controlPlane();
    rootfs = await unpack(archive, folder);
  });

  /** Starts a command of the image under the ServiceAccount and the rights that the chart gives it. */
  async function startAs(name: 'webhook' | 'controller', ...flags: string[]): Promise<Contained> {
    await applyManifests(cluster.admin, await readManifests(join(RBAC, `${name}.yaml`)));
    const account = await cluster.serviceAccount('drover-system', `drover-${name}`);
    const env = await rootfs.serveAs(account, 'drover-system');
    const args = [name, '--address=127.0.0.1', '--port=0', ...flags];
    return start(rootfs, { args, env, log: join(folder, `${name}.log`) });
  }

  const userOf = ({ pid }: Contained) => /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];

  test('the controller brings a Machine up, and ends well when told to', async () => {
    const herd = new Herd().settle(cluster, await cluster.namespace('image'));
    const controller = await startAs(
      'controller',
      `--namespace=${herd.namespace}`,
      '--node-name=elsewhere',
      '--leader-elect=false',
    );
    await controller.port();
    expect(userOf(controller)).toBe(String(USER));
    await herd.makeClass('small');
    await herd.apply(herd.alone(`m-${herd.namespace}`, 'small'));
    await herd.whenRunning(1);
    await herd.kubectl('delete', 'mc', '--all', '--timeout=45s');
    expect(await controller.stop()).toBe(0);
    expect((await controller.lines()).filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  test('the webhook issues its certificate, is ready, and answers a review', async () => {
    const webhook = await startAs('webhook');
    const origin = `https://127.0.0.1:${await webhook.port()}`;
    const ask = (path: string, body?: object) =>
      fetch(origin + path, {
        tls: { rejectUnauthorized: false },
        ...(body && { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
    await until('the webhook to be ready', async () => (await ask('/readyz')).ok, { timeoutMs: 60_000 });
    expect(userOf(webhook)).toBe(String(USER));
    const metadata = { namespace: 'default', name: 'set' };
    const spec = { selector: {}, template: { spec: { class: { kind: 'MachineClass', name: 'small' } } } };
    const set = { apiVersion: 'machine.sapcloud.io/v1alpha1', kind: 'MachineSet', metadata, spec };
    const answer = (await (await ask('/validate', reviewOf({ now: set }))).json()) as { response: object };
    expect(answer.response).toMatchObject({ allowed: false });
    expect(JSON.stringify(answer.response)).toContain('spec.selector: must not be empty');
    expect(await webhook.stop()).toBe(0);
  });

  test('nothing was complained about', async () => {
    for (const name of ['webhook', 'controller'])
      expect(await Bun.file(join(folder, `${name}.log.err`)).text()).toBe('');
  });
});
