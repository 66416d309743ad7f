import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { call } from '../../hack/controlplane/call.ts';
import { markOf } from '../../hack/lib/daemon.ts';
import { until } from '../../hack/lib/until.ts';
import { controlPlane, ownControlPlane } from './support/controlplane.ts';

setDefaultTimeout(180_000);

describe('the shared cluster', () => {
  test('is started once and lets the administrator do everything', async () => {
    const cluster = await controlPlane();
    expect(await controlPlane()).toBe(cluster);
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' };
    const spec = { resourceAttributes: { verb: '*', resource: '*', group: '*' } };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    expect(await call(cluster.admin, { method: 'POST', path, body: { ...review, spec } })).toMatchObject({
      status: { allowed: true },
    });
  });

  test('gives each caller a namespace of its own', async () => {
    const { namespace } = await controlPlane();
    const [one, other] = await Promise.all([namespace('same'), namespace('same')]);
    expect(one).toMatch(/^same-/);
    expect(one).not.toBe(other);
  });

  test('knows a user by certificate, whom RBAC allows nothing', async () => {
    const { user, kubectl } = await controlPlane();
    const { kubeconfig } = await user('jane', ['keepers']);
    const who = await kubectl(['auth', 'whoami', '-o', 'json'], { kubeconfig });
    expect(JSON.parse(who.stdout).status.userInfo).toMatchObject({
      username: 'jane',
      groups: ['keepers', 'system:authenticated'],
    });
    expect(await kubectl(['get', 'secrets'], { kubeconfig })).toMatchObject({ code: 1 });
  });

  test('knows a ServiceAccount by its token', async () => {
    const { namespace, serviceAccount, kubectl } = await controlPlane();
    const home = await namespace('home');
    const { kubeconfig, connection } = await serviceAccount(home, 'robot');
    const who = await kubectl(['auth', 'whoami', '-o', 'json'], { kubeconfig });
    expect(JSON.parse(who.stdout).status.userInfo.username).toBe(`system:serviceaccount:${home}:robot`);
    await expect(call(connection, { path: `/api/v1/namespaces/${home}/secrets` })).rejects.toThrow('403');
  });
});

describe('a cluster of one’s own', () => {
  test('is gone, with its folder, as soon as the process that started it was killed', async () => {
    const script = `
      import { ownControlPlane } from '${import.meta.dir}/support/controlplane.ts';
      const { apiserver, etcd, folder } = await ownControlPlane();
      console.log(JSON.stringify({ folder, pids: [apiserver.pid(), etcd.pid()] }));
      await Bun.sleep(60_000);
    `;
    const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' });
    const { value } = await child.stdout.getReader().read();
    const { folder, pids } = JSON.parse(new TextDecoder().decode(value)) as { folder: string; pids: number[] };
    expect(pids.map(markOf)).not.toContain(undefined);
    child.kill('SIGKILL');
    const gone = () => !existsSync(folder) && pids.every((pid) => markOf(pid) === undefined);
    await until('the cluster to be gone', gone, { timeoutMs: 10_000 });
  });

  test('keeps its data and its port when the API server is killed and started', async () => {
    const cluster = await ownControlPlane();
    const { admin, apiserver, etcd, namespace } = cluster;
    const name = await namespace('kept');
    const pid = apiserver.pid();
    await apiserver.kill();
    expect(apiserver.pid()).toBeUndefined();
    await expect(call(admin, { path: '/readyz' })).rejects.toThrow();
    expect(etcd.pid()).toBeDefined();
    await apiserver.start();
    expect(apiserver.pid()).not.toBe(pid);
    expect(await call(admin, { path: `/api/v1/namespaces/${name}` })).toMatchObject({ metadata: { name } });
    await cluster.end();
  });

  test('does not answer while its API server is frozen, and goes on when that is thawed', async () => {
    const cluster = await ownControlPlane();
    const { admin, apiserver } = cluster;
    apiserver.freeze();
    const silent = () =>
      call(admin, { path: '/readyz', timeoutMs: 300 }).then(
        () => false,
        (error: Error) => error.name === 'TimeoutError',
      );
    await until('the API server to fall silent', silent, { timeoutMs: 5_000 });
    apiserver.thaw();
    expect(await call(admin, { path: '/readyz' })).toBe('ok');
    await cluster.compact();
    await cluster.end();
    expect([apiserver.pid(), cluster.etcd.pid()]).toEqual([undefined, undefined]);
  });
});
