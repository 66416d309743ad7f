import { Api, type Connection } from '../../../controller/runtime/client/api.ts';
import { pathOf } from '../../../controller/runtime/client/requests.ts';
import { systemClock as clock } from '../../../controller/runtime/clock.ts';
import { namespaces } from '../../../controller/runtime/k8s/core.ts';
import type { KubeObject, Resource } from '../../../controller/runtime/k8s/object.ts';
import { type Kind, version } from '../../../schemas/kind.ts';
import { kinds } from '../../../schemas/kinds.ts';
import type { AdmissionCase } from '../../admission/case.ts';
import { usualObjects } from '../../admission/facts.ts';
import type { OwnCluster } from './controlplane.ts';
import { type Said, say } from './response.ts';
import { admitHerders } from './webhookprocess.ts';

/** The namespace of a case in the table of its kind. */
export const namespaceOf = ({ plural }: Kind, index: number): string => `${plural}-${index}`;

/** The cases of admission on a real API server, each in a namespace of its own: there are rules that look at what else is there. */
export class Admitted {
  readonly #api: Api;
  readonly #users: Record<NonNullable<AdmissionCase['as']>, Connection>;
  /** What the UIDs that cases give their objects have become, by namespace and UID. */
  readonly #uids = new Map<string, string>();

  private constructor(api: Api, users: Record<NonNullable<AdmissionCase['as']>, Connection>) {
    this.#api = api;
    this.#users = users;
  }

  /** For alice, who owns what the cases are about, and olga, who may override as well (`admitHerders`). */
  static async on(cluster: OwnCluster): Promise<Admitted> {
    const [owner, operator] = await Promise.all([cluster.user('alice'), cluster.user('olga')]);
    const users = { owner: owner.connection, operator: operator.connection };
    return new Admitted(new Api({ connection: cluster.admin, clock }), users);
  }

  /** On which all is as it is before each request of these tables; a case has the namespace that `namespaceOf` names. */
  static async before(cluster: OwnCluster, tables: ReadonlyArray<{ kind: Kind; cases: readonly AdmissionCase[] }>) {
    await admitHerders(cluster);
    const admitted = await Admitted.on(cluster);
    for (const { kind, cases } of tables) {
      await Promise.all(cases.map((row, index) => admitted.prepare(row, namespaceOf(kind, index))));
    }
    return admitted;
  }

  /** All as it is before the request: objects, some of which break a rule as objects do that are older than it. */
  async prepare({ now, before, deleted, among = usualObjects }: AdmissionCase, namespace: string): Promise<void> {
    await this.#api.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const others = among.filter(({ kind, metadata }) => kind !== now.kind || metadata.name !== now.metadata.name);
    for (const object of [...others, ...(before ? [before] : []), ...(deleted ? [now] : [])] as Stored[]) {
      const kind = kinds.find((one) => one.kind === object.kind);
      if (!kind) throw new Error(`${object.kind} is no kind of ours`);
      const resource = resourceOf(kind);
      const { name, uid = '' } = (await this.#api.create(resource, this.#placed(object, namespace))).metadata;
      this.#uids.set(`${namespace}/${object.metadata.uid}`, uid);
      if (object.status) await this.#tell(resource, { namespace, name }, object.status);
      if (object.metadata.deletionTimestamp) await this.#api.delete(resource, { namespace, name });
    }
  }

  /** Writes, or deletes, the object as the user of the case. */
  async ask(kind: Kind, { now, before, deleted, as = 'owner' }: AdmissionCase, namespace: string): Promise<Said> {
    const object = this.#placed(now, namespace);
    const all = pathOf(resourceOf(kind), { namespace });
    if (before) object.metadata.resourceVersion = await this.#versionOf(kind, object);
    const one = `${all}/${object.metadata.name}`;
    if (deleted) return say(this.#users[as], { method: 'DELETE', path: one });
    return say(this.#users[as], { ...(before ? { method: 'PUT', path: one } : { method: 'POST', path: all }), object });
  }

  /** Writes a status as the controller does, which is another write than that of the object. */
  async #tell(resource: Resource, of: { namespace: string; name: string }, status: object): Promise<void> {
    await this.#api.patch(resource, of, { type: 'merge', body: { status } }, { subresource: 'status' });
  }

  #placed(object: KubeObject, namespace: string): KubeObject {
    const { ownerReferences, ...metadata } = object.metadata;
    const owners = ownerReferences?.map((owner) => ({
      ...owner,
      uid: this.#uids.get(`${namespace}/${owner.uid}`) ?? owner.uid,
    }));
    return { ...object, metadata: { ...metadata, namespace, ...(owners && { ownerReferences: owners }) } };
  }

  async #versionOf(kind: Kind, { metadata }: KubeObject): Promise<string | undefined> {
    const { namespace, name } = metadata;
    const stored = await this.#api.get(resourceOf(kind), { ...(namespace === undefined ? {} : { namespace }), name });
    return stored.metadata.resourceVersion;
  }
}

type Stored = KubeObject & { status?: object };

const resourceOf = ({ group, kind, plural }: Kind): Resource => ({ group, version, plural, kind, namespaced: true });
