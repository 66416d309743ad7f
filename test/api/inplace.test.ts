import { describe, expect, test } from 'bun:test';
import { type Node, nodes } from '../../controller/runtime/k8s/core.ts';
import { controllerOf } from '../../controller/runtime/k8s/object.ts';
import type { Machine } from '../../schemas/machine.ts';
import type { MachineSet } from '../../schemas/machineset.ts';
import { useHerd } from './support/herdfixture.ts';

const herd = useHerd();
const PREFIX = 'node.machine.sapcloud.io';
const SLOW = { timeoutMs: 40_000, everyMs: 50 };

/** What the agent on a Node does when it may begin. */
type Agent = (node: Node) => 'successful' | 'failed' | undefined;

const make = async (replicas: number, inPlaceUpdate: object, machine: object = {}) => {
  await herd.makeDeployment({
    replicas,
    strategy: { type: 'InPlaceUpdate', inPlaceUpdate },
    template: {
      metadata: { labels: { pool: 'pool' } },
      spec: { class: { kind: 'MachineClass', name: 'small' }, ...machine },
    },
  });
  return herd.whenRunning(replicas);
};
/** A change of the template after which machines are updated in place. */
const change = (release: string, spec: object = {}) =>
  herd.kubectl('patch', 'mcd/pool', '--type=merge', '-p', template(release, spec));
const template = (release: string, spec: object): string =>
  JSON.stringify({ spec: { template: { metadata: { annotations: { release } }, spec } } });

const reasonOf = ({ status }: Node) => status?.conditions?.find(({ type }) => type === 'InPlaceUpdate')?.reason;
const label = ({ metadata }: Node, labels: object, annotations: object = {}) =>
  herd.api.patch(nodes, metadata, { type: 'merge', body: { metadata: { labels, annotations } } });
const uids = (machines: readonly Machine[]) => machines.map(({ metadata }) => metadata.uid ?? '').sort();
/** The set of the deployment's present template: none as long as the controller has not made it. */
const newest = async () => {
  const [sets, [pool]] = await Promise.all([herd.sets(), herd.deployments()]);
  return sets.find(({ spec }) => releaseOf(spec) === releaseOf(pool?.spec));
};
const releaseOf = (spec: Pick<NonNullable<MachineSet['spec']>, 'template'> | undefined) =>
  spec?.template?.metadata?.annotations?.['release'];
/** Every machine is the newest set's, and `count` there are. */
const whenRolledOut = (count: number) =>
  herd.eventually(
    'the rollout to end',
    async () => {
      const [machines, set] = await Promise.all([herd.machines(), newest()]);
      const moved = machines.every((machine) => controllerOf(machine)?.uid === set?.metadata.uid);
      const running = machines.every(({ status }) => status?.currentStatus?.phase === 'Running');
      return moved && running && machines.length === count && set?.spec?.replicas === count;
    },
    SLOW,
  );
/** Nothing of an update is left on any Node. */
const whenClean = () =>
  herd.eventually('clean Nodes', async () =>
    (await herd.nodesOf(await herd.machines())).every(({ metadata, spec }) => {
      const marked = Object.keys(metadata.labels ?? {}).some((key) => key.startsWith(`${PREFIX}/`));
      return !marked && !spec?.unschedulable && !spec?.taints?.some(({ effect }) => effect === 'PreferNoSchedule');
    }),
  );

/** Plays the agents of all Nodes until the signal aborts; tells of what it sees on the way. */
async function playAgents(agent: Agent, signal: AbortSignal, seen: (machines: Machine[]) => void = () => {}) {
  while (!signal.aborted) {
    const machines = await herd.machines();
    seen(machines);
    for (const node of await herd.nodesOf(machines)) {
      const result = reasonOf(node) === 'ReadyForUpdate' && agent(node);
      if (!result || node.metadata.labels?.[`${PREFIX}/update-result`]) continue;
      expect(node.spec?.unschedulable).toBe(true);
      await label(
        node,
        { [`${PREFIX}/update-result`]: result },
        { [`${PREFIX}/update-failed-reason`]: 'no such image' },
      );
    }
  }
}

/** Runs the test with agents at work, and what they saw. */
async function withAgents(agent: Agent, run: () => Promise<void>) {
  const over = new AbortController();
  const phases = new Set<string>();
  let [least, most] = [Infinity, 0];
  const playing = playAgents(agent, over.signal, (machines) => {
    const running = machines.filter(({ status }) => status?.currentStatus?.phase === 'Running');
    for (const { status } of machines) phases.add(status?.currentStatus?.phase ?? '');
    [least, most] = [Math.min(least, running.length), Math.max(most, machines.length)];
  });
  await run().finally(() => over.abort());
  await playing;
  return { phases, least, most };
}

describe('an update in place', () => {
  test('keeps every VM, within the limits, and leaves clean Nodes', async () => {
    const before = await make(3, { maxSurge: 0, maxUnavailable: 1 });
    const vms = (await herd.vms()).map(({ metadata }) => metadata.uid).sort();
    const { phases, least, most } = await withAgents(
      () => 'successful',
      async () => {
        await change('2');
        await whenRolledOut(3);
      },
    );
    await whenClean();
    expect(uids(await herd.machines())).toEqual(uids(before));
    expect((await herd.vms()).map(({ metadata }) => metadata.uid).sort()).toEqual(vms);
    expect([least, most]).toEqual([2, 3]);
    expect([...phases]).toContain('InPlaceUpdating');
    expect((await herd.sets()).map(({ spec }) => spec?.replicas).sort()).toEqual([0, 3]);
    await herd.kubectl('wait', 'mcd/pool', '--for=jsonpath={.status.updatedReplicas}=3', '--timeout=45s');
    await herd.kubectl('wait', 'mcd/pool', '--for=condition=Progressing', '--timeout=45s');
    const hash = (await newest())?.metadata.labels?.['machine-template-hash'];
    for (const { metadata } of await herd.machines()) {
      expect(metadata.labels).toMatchObject({ pool: 'pool', 'machine-template-hash': hash });
      expect(Object.keys(metadata.labels ?? {}).filter((key) => key.startsWith(PREFIX))).toEqual([]);
    }
  });

  test('with machines above never has fewer, and takes the surplus away', async () => {
    const before = await make(2, { maxSurge: 1, maxUnavailable: 0 });
    const { least, most } = await withAgents(
      () => 'successful',
      async () => {
        await change('2');
        await whenRolledOut(2);
      },
    );
    await whenClean();
    expect([least, most]).toEqual([2, 3]);
    expect(uids(await herd.machines()).filter((uid) => uids(before).includes(uid))).toHaveLength(1);
  });

  test('by hand updates the Nodes that a person labels, and no other', async () => {
    await make(2, { maxUnavailable: 1, orchestrationType: 'Manual' });
    await change('2');
    await herd.eventually('candidates', async () => {
      const found = await herd.nodesOf(await herd.machines());
      return found.length === 2 && found.every((node) => reasonOf(node) === 'CandidateForUpdate');
    });
    const [picked] = await herd.nodesOf(await herd.machines());
    await withAgents(
      () => 'successful',
      async () => {
        await label(picked as Node, { [`${PREFIX}/selected-for-update`]: 'true' });
        await herd.eventually('one to move', async () => (await newest())?.status?.readyReplicas === 1);
      },
    );
    const set = await newest();
    const moved = (await herd.machines()).filter((machine) => controllerOf(machine)?.uid === set?.metadata.uid);
    expect(moved.map(({ metadata }) => metadata.name)).toEqual([picked?.metadata.name ?? '']);
    expect(await herd.phases()).toEqual({ Running: 2 });
  });

  // hack/decisions/0028 O17
  test('takes off its own cordon, and no other', async () => {
    await make(2, { maxUnavailable: 2, orchestrationType: 'Manual' });
    const [theirs] = await herd.nodesOf(await herd.machines());
    await herd.kubectl('cordon', theirs?.metadata.name ?? '');
    await change('2');
    await herd.eventually('candidates', async () =>
      (await herd.nodesOf(await herd.machines())).every((node) => reasonOf(node) === 'CandidateForUpdate'),
    );
    await withAgents(
      () => 'successful',
      async () => {
        for (const node of await herd.nodesOf(await herd.machines()))
          await label(node, { [`${PREFIX}/selected-for-update`]: 'true' });
        await whenRolledOut(2);
      },
    );
    await herd.eventually('Nodes without labels and notes', async () =>
      (await herd.nodesOf(await herd.machines())).every(
        ({ metadata: { labels, annotations } }) =>
          !labels?.[`${PREFIX}/update-result`] && !annotations?.['drover.dev/cordoned'],
      ),
    );
    const found = await herd.nodesOf(await herd.machines());
    const cordoned = found.filter(({ spec }) => spec?.unschedulable).map(({ metadata }) => metadata.name);
    expect(cordoned).toEqual([theirs?.metadata.name ?? '']);
  });

  test('can be scaled meanwhile (hack/spec/mcm.md 12, 5)', async () => {
    const before = await make(2, { maxSurge: 0, maxUnavailable: 1 });
    await change('2');
    await herd.eventually('one to be updated', async () => (await herd.phases())['InPlaceUpdating'] === 1);
    await herd.kubectl('scale', 'mcd/pool', '--replicas=4');
    await herd.eventually('two more', async () => (await newest())?.status?.readyReplicas === 2);
    await withAgents(
      () => 'successful',
      async () => {
        await whenRolledOut(4);
      },
    );
    await whenClean();
    expect(uids(await herd.machines())).toEqual(expect.arrayContaining(uids(before)));
    await herd.kubectl('scale', 'mcd/pool', '--replicas=1');
    await herd.whenRunning(1);
  });

  test('that fails replaces the machine, with the agent’s words', async () => {
    const before = await make(2, { maxSurge: 0, maxUnavailable: 1 }, { healthTimeout: '2s' });
    let doomed: string | undefined;
    let said: string | undefined;
    await withAgents(
      ({ metadata: { name } }) => {
        doomed ??= name;
        return doomed === name ? 'failed' : 'successful';
      },
      async () => {
        await change('2');
        await herd.eventually('the failure', async () => {
          const failed = (await herd.machines()).find(
            ({ status }) => status?.currentStatus?.phase === 'InPlaceUpdateFailed',
          );
          said = failed?.status?.lastOperation?.description;
          return failed !== undefined;
        });
        await whenRolledOut(2);
      },
    );
    expect(said).toBe('the update in place failed: no such image');
    const stayed = uids(await herd.machines()).filter((uid) => uids(before).includes(uid));
    expect(stayed).toHaveLength(1);
    await whenClean();
  });

  test('that is taken back leaves nothing behind, and the set makes machines again', async () => {
    const before = await make(3, { maxSurge: 0, maxUnavailable: 1, orchestrationType: 'Manual' });
    await change('2');
    await herd.eventually('candidates', async () =>
      (await herd.nodesOf(before)).every((node) => reasonOf(node) === 'CandidateForUpdate'),
    );
    await herd.kubectl(
      'patch',
      'mcd/pool',
      '--type=json',
      '-p',
      '[{"op":"remove","path":"/spec/template/metadata/annotations"}]',
    );
    await whenClean();
    await herd.eventually('no condition', async () =>
      (await herd.nodesOf(before)).every((node) => reasonOf(node) === undefined),
    );
    expect(uids(await herd.machines())).toEqual(uids(before));
    await herd.kubectl('scale', 'mcd/pool', '--replicas=4');
    await herd.whenRunning(4);
  });

  test('goes on beside a new machine that never joins', async () => {
    await herd.makeClass('lame', { faults: { vms: [{ rate: 1, fate: 'NeverJoins' }] } });
    const before = await make(3, { maxSurge: 1, maxUnavailable: 1 });
    await withAgents(
      () => 'successful',
      async () => {
        await change('2', { class: { kind: 'MachineClass', name: 'lame' } });
        await herd.eventually('two to move', async () => (await newest())?.status?.readyReplicas === 2, SLOW);
      },
    );
    const set = await newest();
    const moved = (await herd.machines()).filter((machine) => controllerOf(machine)?.uid === set?.metadata.uid);
    expect(uids(moved).filter((uid) => uids(before).includes(uid))).toHaveLength(2);
  });
});
