import { nodes } from '../../../controller/runtime/k8s/core.ts';
import { LABEL_NODE, PRE_TERMINATE_HOOK } from '../../../schemas/keys.ts';
import { resources } from '../../../schemas/kinds.ts';
import type { Machine } from '../../../schemas/machine.ts';
import type { Between } from './serverproxies.ts';

/** Longer than any test: nobody is given up for it. */
const NEVER = '10h';
const CLASS = 'plain';
const NEXT_CLASS = 'next';
/** UID of a VM of ours without a Machine. */
const STRAY = 'stray';
const HOOK = `${PRE_TERMINATE_HOOK}/test`;

/** Machines each of which is about to be taken away or replaced, for another reason. */
export class Perils {
  readonly #between: Between;
  #ill: Machine[] = [];

  constructor(between: Between) {
    this.#between = between;
  }

  /** Six machines that run, one of them with a Node that is not ready, and one that leaves and is held by a hook. */
  async prepare(): Promise<void> {
    const { herd } = this.#between;
    for (const name of [CLASS, NEXT_CLASS]) await herd.makeClass(name);
    await this.#pool('ill', 1);
    await this.#pool('shrinking', 2);
    await this.#pool('rolling', 2);
    await herd.apply(herd.alone(this.#leaving, CLASS));
    await herd.eventually('six machines', async () => (await herd.phases())['Running'] === 6, PATIENCE);
    this.#ill = await this.#of('ill');
    await herd.kubectl('annotate', `mc/${this.#leaving}`, `${HOOK}=`);
    await herd.kubectl('delete', `mc/${this.#leaving}`, '--wait=false');
    for (const machine of this.#ill) await this.#sicken(machine);
    await herd.eventually('one Unknown machine', async () => (await herd.phases())['Unknown'] === 1, PATIENCE);
    const held = '--for=jsonpath={.status.currentStep.reason}=WaitingForPreTerminateHook';
    await herd.kubectl('wait', `mc/${this.#leaving}`, held, '--timeout=60s');
  }

  /** Lets everything become due: from now on all of it would go, if nothing held the controller. */
  async release(healthTimeout = '2s'): Promise<void> {
    const { herd, cloud } = this.#between;
    const patch = (kind: string, name: string, body: object) =>
      herd.kubectl('patch', `${kind}/${name}`, '--type=merge', '-p', JSON.stringify(body));
    await patch('mcd', 'ill', { spec: { template: { spec: { healthTimeout } } } });
    await patch('mcd', 'shrinking', { spec: { replicas: 1 } });
    await patch('mcd', 'rolling', { spec: { template: { spec: { class: { name: NEXT_CLASS } } } } });
    await herd.kubectl('annotate', `mc/${this.#leaving}`, `${HOOK}-`);
    cloud.stray(STRAY);
  }

  /** When the ill machine was given up, by the test's own clock; 0 when it was not. */
  givenUpAt(): number {
    const [ill] = this.#ill;
    return this.#between.witness.when(`given up: ${ill?.metadata.name}`) ?? 0;
  }

  /** Waits until all of it has gone as it should, and everything else runs. */
  async whenOver(): Promise<void> {
    const { herd } = this.#between;
    await herd.eventually('the end of all perils', () => this.#isOver(), PATIENCE);
    await herd.eventually('four machines', async () => (await herd.phases())['Running'] === 4, PATIENCE);
  }

  async #isOver(): Promise<boolean> {
    const { herd, cloud } = this.#between;
    const machines = await herd.machines();
    const of = (pool: string) => machines.filter(({ metadata }) => metadata.labels?.['pool'] === pool);
    const ill = new Set(this.#ill.map(({ metadata }) => metadata.uid));
    return (
      machines.length === 4 &&
      cloud.vms.size === 4 &&
      of('ill').every(({ metadata }) => !ill.has(metadata.uid)) &&
      of('shrinking').length === 1 &&
      of('rolling').length === 2 &&
      of('rolling').every(({ spec }) => spec?.class?.name === NEXT_CLASS)
    );
  }

  /** Nodes of several herds may meet in one target. */
  get #leaving(): string {
    return `leaving-${this.#between.herd.namespace}`;
  }

  async #pool(name: string, replicas: number): Promise<void> {
    const labels = { pool: name };
    const spec = { class: { kind: 'MachineClass', name: CLASS }, healthTimeout: NEVER };
    await this.#between.herd.apply({
      apiVersion: 'machine.sapcloud.io/v1alpha1',
      kind: 'MachineDeployment',
      metadata: { name },
      spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    });
  }

  async #of(pool: string): Promise<Machine[]> {
    const { api, namespace } = this.#between.herd;
    return (await api.list(resources.machines, { namespace, labelSelector: `pool=${pool}` })).items;
  }

  async #sicken({ metadata }: Machine): Promise<void> {
    const name = metadata.labels?.[LABEL_NODE] ?? '';
    const conditions = [
      { type: 'Ready', status: 'False', reason: 'Test', lastTransitionTime: new Date().toISOString() },
    ];
    const body = { status: { conditions } };
    await this.#between.target.patch(nodes, { name }, { type: 'merge', body }, { subresource: 'status' });
  }
}

/** Long enough for a busy machine. */
const PATIENCE = { timeoutMs: 120_000, everyMs: 200 };
