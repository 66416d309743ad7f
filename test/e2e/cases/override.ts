import type { Case } from '../case.ts';
import { pool, virtualClass } from '../herd.ts';
import { expectSays } from '../said.ts';
import type { Manifest, Scene } from '../scene.ts';

const KEY = 'protected.drover.dev/reconcile-priority';
const RBAC = 'rbac.authorization.k8s.io';

/** Two people who may write the same objects; one of them may override. */
export const override: Case = {
  name: 'override',
  shows: 'who may override touches protected keys, who may only write does not',
  needs: { release: 'shared' },
  async run(scene) {
    await scene.apply(virtualClass(), pool(0, 'quiet'), ...roles());
    await expectRefused(scene, 'annotate', 'mcd', 'quiet', `${KEY}=50`);
    await asUser(scene, 'mcm-user', 'annotate', 'mcd', 'quiet', 'example.com/free=yes');
    await asUser(scene, 'mcm-admin', 'annotate', 'mcd', 'quiet', `${KEY}=50`);
    await expectRefused(scene, 'annotate', 'mcd', 'quiet', `${KEY}=60`, '--overwrite');
    await expectRefused(scene, 'annotate', 'mcd', 'quiet', `${KEY}-`);
    await asUser(scene, 'mcm-user', 'scale', 'mcd', 'quiet', '--replicas=1');
    await asUser(scene, 'mcm-admin', 'annotate', 'mcd', 'quiet', `${KEY}-`);
  },
};

/** Both may write, `mcm-admin` may override. */
const roles = (): Manifest[] => [
  role('writes', ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']),
  role('overrides', ['override']),
  binding('writes', ['mcm-user', 'mcm-admin']),
  binding('overrides', ['mcm-admin']),
];

const role = (name: string, verbs: readonly string[]): Manifest => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'Role',
  metadata: { name },
  rules: [{ apiGroups: ['machine.sapcloud.io'], resources: ['*'], verbs }],
});

const binding = (name: string, users: readonly string[]): Manifest => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'RoleBinding',
  metadata: { name },
  roleRef: { apiGroup: RBAC, kind: 'Role', name },
  subjects: users.map((user) => ({ apiGroup: RBAC, kind: 'User', name: user })),
});

const asUser = (scene: Scene, user: string, ...args: string[]): Promise<string> =>
  scene.kubectl(`--as=${user}`, ...args);

async function expectRefused(scene: Scene, ...args: string[]): Promise<void> {
  const said = await scene.refusedCommand('--as=mcm-user', ...args);
  for (const part of [KEY, 'override']) expectSays(said, part);
}
