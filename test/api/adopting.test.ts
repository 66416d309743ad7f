import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { controllerOf, type KubeObject, type Resource } from '../../controller/runtime/k8s/object.ts';
import { resources } from '../../schemas/kinds.ts';
import { Herd } from './support/herd.ts';
import { startBehindWay } from './support/proxiedcontroller.ts';
import type { Way } from './support/proxy.ts';
import { type Fault, sound } from './support/proxyfaults.ts';

/** hack/spec/mcm.md 4.3: whether an owner may adopt is asked of the API server, for a cache may show one that is there no more. */

setDefaultTimeout(180_000);

/** An owner that nobody tells of for so long asks how it stands about every five seconds, and not without end. */
const LOOK_MS = 6_000;
const FEW = 5;

const herd = new Herd();
let way: Way;
let end: () => void = () => {};

beforeAll(async () => {
  ({ way, end } = await startBehindWay(herd, 'adopting'));
});

afterEach(() => way.set(sound));

afterAll(async () => {
  await herd.kubectl('delete', 'mcd,mcs,mc', '--all', '--timeout=30s');
  end();
});

/** Nothing is heard of objects of this kind any more; all else works. */
const silenced = (plural: string): Fault => ({
  open: 'break',
  treat: (request) => (new RegExp(`/${plural}\\?\\S*(?:watch=true|limit=)`).test(request) ? 'hang' : 'pass'),
});

/** The owner is gone, and another one has its name, before anybody is told. */
async function replace(resource: Resource<KubeObject>, owner: KubeObject): Promise<KubeObject> {
  const { name, namespace, labels } = owner.metadata;
  await herd.api.delete(resource, owner.metadata, { propagation: 'Orphan' });
  await herd.api
    .patch(resource, owner.metadata, { type: 'merge', body: { metadata: { finalizers: null } } })
    .catch(() => {});
  const { status: _, ...rest } = owner as KubeObject & { status?: unknown };
  return herd.api.create(resource, { ...rest, metadata: { name, namespace, labels } } as KubeObject);
}

const labels = { pool: 'pool' };
const template = { metadata: { labels }, spec: { class: { kind: 'MachineClass', name: 'small' } } };
const apiVersion = 'machine.sapcloud.io/v1alpha1';
const spec = { replicas: 0, selector: { matchLabels: labels }, template };

test.each([
  {
    owner: resources.machineSets as Resource<KubeObject>,
    child: resources.machines as Resource<KubeObject>,
    ownerKind: 'MachineSet',
    orphan: { ...herd.alone('orphan', 'small', labels) },
  },
  {
    owner: resources.machineDeployments as Resource<KubeObject>,
    child: resources.machineSets as Resource<KubeObject>,
    ownerKind: 'MachineDeployment',
    orphan: { apiVersion, kind: 'MachineSet', metadata: { name: 'orphan', labels }, spec },
  },
])(
  'a $ownerKind that was made anew under its name adopts what is free; the one before does not, and asks seldom',
  async ({ owner, child, ownerKind, orphan }) => {
    const name = `owner-${ownerKind.toLowerCase()}`;
    await herd.apply({ apiVersion, kind: ownerKind, metadata: { name }, spec });
    const ref = { namespace: herd.namespace, name };
    await herd.eventually('the owner to be looked after', async () => {
      const { metadata, status } = (await herd.api.get(owner, ref)) as KubeObject & {
        status?: { observedGeneration?: number };
      };
      return status?.observedGeneration === metadata.generation;
    });
    const before = await herd.api.get(owner, ref);
    way.set(silenced(owner.plural));
    const after = await replace(owner, before);
    const read = `GET /apis/${apiVersion}/namespaces/${herd.namespace}/${owner.plural}/${name} `;
    const asked = way.asked(read);
    await herd.apply(orphan as Parameters<Herd['apply']>[0]);
    await herd.eventually('it to ask how it stands', async () => way.asked(read) > asked);
    await Bun.sleep(LOOK_MS);
    expect(way.asked(read) - asked).toBeLessThan(FEW);
    const orphanRef = { namespace: herd.namespace, name: 'orphan' };
    expect(controllerOf(await herd.api.get(child, orphanRef))).toBeUndefined();
    way.set(sound);
    await herd.eventually(
      'the other to adopt it',
      async () => {
        const found = await herd.api.get(child, orphanRef).catch(() => undefined);
        return found === undefined || controllerOf(found)?.uid === after.metadata.uid;
      },
      { timeoutMs: 60_000, everyMs: 20 },
    );
    await herd.kubectl('delete', 'mcd,mcs,mc', '--all', '--timeout=30s');
  },
);
