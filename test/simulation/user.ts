import type { KubeObject } from '../../controller/runtime/k8s/object.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineClass } from '../../schemas/machineclass.ts';
import type { MachineDeployment } from '../../schemas/machinedeployment.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import type { Server } from './server.ts';
import type { Stage } from './stage.ts';

const ROOT = '/apis/machine.sapcloud.io/v1alpha1/namespaces/herd';

/** Our kinds by plural. */
interface Kinds {
  machines: Machine;
  machinesets: MachineSet;
  machinedeployments: MachineDeployment;
  machineclasses: MachineClass;
}

/** What a person does with kubectl, in the namespace `herd`. Whatever the server refuses is as if nothing was done. */
export class User {
  readonly #control: Server;

  constructor(control: Server) {
    this.#control = control;
  }

  /** Everything of a kind. */
  all<K extends keyof Kinds>(kind: K): Array<Kinds[K]> {
    return this.#control.api.store.list(`machine.sapcloud.io/${kind}`) as unknown as Array<Kinds[K]>;
  }

  make(kind: keyof Kinds, object: object): void {
    this.#send('POST', `${ROOT}/${kind}`, object);
  }

  change(kind: keyof Kinds, name: string, patch: object): void {
    this.#send('PATCH', `${ROOT}/${kind}/${name}`, patch);
  }

  delete(kind: keyof Kinds, name: string): void {
    this.#send('DELETE', `${ROOT}/${kind}/${name}`);
  }

  annotate(kind: keyof Kinds, object: KubeObject, annotations: Record<string, string | null>): void {
    this.change(kind, object.metadata.name, { metadata: { annotations } });
  }

  /** Anything else. */
  send(method: string, path: string, body?: object): void {
    this.#send(method, path, body);
  }

  #send(method: string, path: string, body?: object): void {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    this.#control.handle('user', { method, path, contentType, ...(body && { body: JSON.stringify(body) }) });
  }
}

/** Reasons for which nothing happens until a person says what is to go, and how long people wait for it, milliseconds. */
const CALLS: ReadonlySet<string> = new Set(['ZoneOutage', 'ClusterOutage']);
const PATIENCE_MS = 600_000;

/** A person who reads conditions once the faults are over: deletes machines that wait for one. */
export class Attendant {
  readonly #stage: Pick<Stage, 'user' | 'clock' | 'trace'>;
  /** Since when a machine waits, by UID. */
  #waiting = new Map<string, number>();

  constructor(stage: Pick<Stage, 'user' | 'clock' | 'trace'>) {
    this.#stage = stage;
  }

  /** Looks at all machines. */
  look(): void {
    const { user, clock, trace } = this.#stage;
    const calling = user.all('machines').filter(({ status }) => CALLS.has(status?.currentStep?.reason ?? ''));
    const sinceOf = (uid: string) => this.#waiting.get(uid) ?? clock.now();
    this.#waiting = new Map(calling.map(({ metadata: { uid = '' } }) => [uid, sinceOf(uid)]));
    for (const { metadata } of calling) {
      if (clock.now() - sinceOf(metadata.uid ?? '') < PATIENCE_MS) continue;
      trace.note('user', 'gives a machine of an outage up', { machine: metadata.name });
      user.delete('machines', metadata.name);
    }
  }
}
