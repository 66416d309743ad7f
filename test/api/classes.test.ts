import { describe, expect, test } from 'bun:test';
import { secrets } from '../../controller/runtime/k8s/core.ts';
import { ANNOTATION_CLASS, FINALIZER, SECRET_FINALIZER } from '../../schemas/keys.ts';
import { resources } from '../../schemas/kinds.ts';
import { useHerd } from './support/herdfixture.ts';

/** Classes and their Secrets from their first machine to their last, and machines whose class is gone. */

const herd = useHerd();
const { machineClasses, machines } = resources;

const ref = (name: string) => ({ namespace: herd.namespace, name });
const classOf = (name: string) => herd.api.get(machineClasses, ref(name));
const secretOf = (name: string) => herd.api.get(secrets, ref(name));
const machineOf = (name: string) => herd.api.get(machines, ref(name));

const makeSecret = (name: string) =>
  herd.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { userData: 'x', who: name } });

const makeNaming = (name: string, parts: object) =>
  herd.apply({
    apiVersion: 'machine.sapcloud.io/v1alpha1',
    kind: 'MachineClass',
    metadata: { name },
    provider: 'virtual',
    providerSpec: {},
    ...parts,
  });

const held = async (
  what: string,
  look: () => Promise<{ metadata: { finalizers?: string[] | undefined } }>,
  finalizer?: string,
) =>
  herd.eventually(what, async () =>
    Bun.deepEquals((await look()).metadata.finalizers ?? [], finalizer ? [finalizer] : []),
  );

const remove = (what: string) => herd.kubectl('delete', what, '--wait=false');

/** As somebody who cannot wait takes it away: without its finalizers. */
async function tearAway(kind: 'machineclass' | 'secret', name: string): Promise<void> {
  await remove(`${kind}/${name}`);
  await herd.kubectl('patch', kind, name, '--type=merge', '-p', '{"metadata":{"finalizers":null}}').catch(() => {});
  await herd.kubectl('wait', `${kind}/${name}`, '--for=delete', '--timeout=45s');
}

const waitFor = (name: string, path: string) =>
  herd.kubectl('wait', `mc/${name}`, `--for=jsonpath=${path}`, '--timeout=45s');

describe('a class and its Secrets', () => {
  test('carry MCM’s finalizers from the first machine to the last, and no longer (hack/spec/mcm.md 2.1, 6.10; 13.6)', async () => {
    await makeSecret('data');
    await makeSecret('keys');
    await makeNaming('secretive', { secretRef: { name: 'data' }, credentialsSecretRef: { name: 'keys' } });
    expect((await classOf('secretive')).metadata.finalizers).toBeUndefined();
    for (const name of ['a', 'b']) await herd.apply(herd.alone(name, 'secretive'));
    await herd.whenRunning(2);
    expect((await classOf('secretive')).metadata.finalizers).toEqual([FINALIZER]);
    for (const name of ['data', 'keys']) expect((await secretOf(name)).metadata.finalizers).toEqual([SECRET_FINALIZER]);
    await herd.kubectl('delete', 'mc/a', '--timeout=45s');
    expect((await classOf('secretive')).metadata.finalizers).toEqual([FINALIZER]);
    await herd.kubectl('delete', 'mc/b', '--timeout=45s');
    await held('the class to be let go', () => classOf('secretive'));
    for (const name of ['data', 'keys']) await held(`the Secret ${name} to be let go`, () => secretOf(name));
  });

  test('wait, when deleted, for their machines, and say which', async () => {
    await makeSecret('data');
    await makeNaming('leaving', { secretRef: { name: 'data' } });
    await herd.apply(herd.alone('m', 'leaving'));
    await herd.whenRunning(1);
    await remove('machineclass/leaving');
    await remove('secret/data');
    await herd.eventually('events', async () => {
      const told = await herd.events();
      return /ClassInUse .*1 machine \(m\)/.test(told) && /SecretInUse .*1 machine \(\S+\/m\)/.test(told);
    });
    await herd.kubectl('delete', 'mc/m', '--timeout=45s');
    await herd.kubectl('wait', 'machineclass/leaving', 'secret/data', '--for=delete', '--timeout=45s');
  });

  test('of another provider are left alone, finalizer and all', async () => {
    await makeNaming('elsewhere', { provider: 'AWS', secretRef: { name: 'theirs' } });
    const finalizers = [SECRET_FINALIZER];
    await herd.api.create(secrets, { metadata: { ...ref('theirs'), finalizers } });
    await herd.apply(herd.alone('foreign', 'elsewhere'));
    await herd.apply(herd.alone('ours', 'small'));
    await waitFor('ours', '{.status.currentStatus.phase}=Running');
    expect((await classOf('elsewhere')).metadata.finalizers).toBeUndefined();
    expect((await secretOf('theirs')).metadata.finalizers).toEqual(finalizers);
    await herd.api.patch(secrets, ref('theirs'), { type: 'merge', body: { metadata: { finalizers: null } } });
  });

  test('follow a class that names another Secret: the new one is held, the old one let go', async () => {
    await makeSecret('old');
    await makeSecret('new');
    await makeNaming('moving', { credentialsSecretRef: { name: 'old' } });
    await herd.apply(herd.alone('m', 'moving'));
    await herd.whenRunning(1);
    await makeNaming('moving', { credentialsSecretRef: { name: 'new' } });
    await held('the new Secret to be held', () => secretOf('new'), SECRET_FINALIZER);
    await held('the old Secret to be let go', () => secretOf('old'));
    expect((await machineOf('m')).metadata.annotations?.[ANNOTATION_CLASS]).toContain('{"name":"new"}');
    await herd.kubectl('delete', 'mc/m', '--timeout=45s');
    await held('the new Secret to be let go', () => secretOf('new'));
  });

  test('get their finalizers back while machines use them, whoever takes them off', async () => {
    await makeSecret('data');
    await makeNaming('stripped', { secretRef: { name: 'data' } });
    await herd.apply(herd.alone('m', 'stripped'));
    await herd.whenRunning(1);
    const bare = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
    await herd.api.patch(machineClasses, ref('stripped'), bare);
    await herd.api.patch(secrets, ref('data'), bare);
    await held('the class to be held again', () => classOf('stripped'), FINALIZER);
    await held('the Secret to be held again', () => secretOf('data'), SECRET_FINALIZER);
  });

  test('are let go after a controller was away while the last machine went (hack/spec/mcm.md 13.6)', async () => {
    await makeSecret('left');
    const finalizers = [SECRET_FINALIZER];
    await herd.api.patch(secrets, ref('left'), { type: 'merge', body: { metadata: { finalizers } } });
    await makeNaming('left', { secretRef: { name: 'left' }, metadata: { name: 'left', finalizers: [FINALIZER] } });
    await herd.restart();
    await held('the class to be let go', () => classOf('left'));
    await held('the Secret to be let go', () => secretOf('left'));
  });
});

describe('a Machine', () => {
  test('remembers its class before it has a VM, without any secret data', async () => {
    await makeSecret('data');
    await makeNaming('known', { providerSpec: { tags: { a: '1' } }, secretRef: { name: 'data' } });
    await herd.makeDeployment({ replicas: 1, class: 'known' });
    const [machine] = await herd.whenRunning(1);
    expect(JSON.parse(machine?.metadata.annotations?.[ANNOTATION_CLASS] ?? '')).toEqual({
      provider: 'virtual',
      providerSpec: { tags: { a: '1' } },
      secretRef: { name: 'data' },
    });
  });

  test('whose class is torn away runs on, is judged, and leaves with its VM (hack/decisions/0000 3; hack/spec/mcm.md 13.5)', async () => {
    await makeNaming('torn', {});
    for (const name of ['stays', 'goes']) await herd.apply(herd.alone(name, 'torn'));
    await herd.whenRunning(2);
    await tearAway('machineclass', 'torn');
    await herd.kubectl('wait', 'mc/stays', '--for=condition=ClassReady=False', '--timeout=45s');
    await herd.kubectl('delete', 'mc/goes', '--timeout=45s');
    expect((await machineOf('stays')).status?.currentStatus?.phase).toBe('Running');
    await herd.whenRunning(1);
    await makeNaming('torn', {});
    await herd.kubectl('wait', 'mc/stays', '--for=condition=ClassReady', '--timeout=45s');
    await tearAway('machineclass', 'torn');
    await herd.restart();
    await herd.kubectl('delete', 'mc/stays', '--timeout=45s');
    expect(await herd.vms()).toEqual([]);
  });

  test('without a VM waits for a class that is torn away, and is deleted without it', async () => {
    await makeNaming('torn', {
      providerSpec: { faults: { calls: [{ method: 'createMachine', answer: 'Internal' }] } },
    });
    await herd.apply(herd.alone('m', 'torn'));
    await waitFor('m', '{.status.currentStatus.phase}=CrashLoopBackOff');
    await tearAway('machineclass', 'torn');
    await waitFor('m', '{.status.currentStep.reason}=ClassNotFound');
    await herd.kubectl('delete', 'mc/m', '--timeout=45s');
    expect(await herd.vms()).toEqual([]);
  });

  test('whose Secret is torn away runs on, waits to leave until it is back, and says so', async () => {
    await makeSecret('needed');
    await makeNaming('needy', { credentialsSecretRef: { name: 'needed' } });
    await herd.apply(herd.alone('m', 'needy'));
    await herd.whenRunning(1);
    await tearAway('secret', 'needed');
    await herd.kubectl('wait', 'mc/m', '--for=condition=ClassReady=False', '--timeout=45s');
    expect((await machineOf('m')).status?.currentStatus?.phase).toBe('Running');
    await remove('mc/m');
    await waitFor('m', '{.status.currentStep.reason}=SecretNotFound');
    await tearAway('machineclass', 'needy');
    await makeSecret('needed');
    await herd.kubectl('wait', 'mc/m', '--for=delete', '--timeout=45s');
    expect(await herd.vms()).toEqual([]);
    await held('the Secret to be let go', () => secretOf('needed'));
  });

  test('whose Secret was never there goes at once, also after a restart (hack/decisions/0051 L7)', async () => {
    await makeNaming('mistyped', { secretRef: { name: 'typo' } });
    await herd.apply(herd.alone('lone', 'mistyped'));
    await herd.makeDeployment({ replicas: 2, class: 'mistyped' });
    const made = async () =>
      (await herd.machines()).filter(({ status }) => status?.currentStep?.reason === 'SecretNotFound');
    await herd.eventually('all machines to wait for the Secret', async () => (await made()).length === 3);
    await herd.restart();
    await herd.kubectl('delete', 'mcd,mc', '--all', '--timeout=45s');
    expect([await herd.machines(), await herd.vms()]).toEqual([[], []]);
  });

  test('whose Secret went before a VM was asked for goes, by force, too (hack/decisions/0051 L7)', async () => {
    await makeSecret('brief');
    await makeNaming('brief', { secretRef: { name: 'brief' } });
    const labels = { 'cluster.k8s.io/cluster-name': 'nowhere' };
    for (const name of ['gently', 'by-force']) await herd.apply(herd.alone(name, 'brief', labels));
    for (const name of ['gently', 'by-force']) await herd.whenDecided(name, 'ClusterNotFound');
    await tearAway('secret', 'brief');
    await herd.kubectl('label', 'mc/by-force', 'force-deletion=True');
    await herd.kubectl('delete', 'mc', '--all', '--timeout=45s');
    expect(await herd.vms()).toEqual([]);
  });

  test('whose VM there may be waits for its Secret, by force, too, and has failed meanwhile (hack/decisions/0051 L7)', async () => {
    await makeSecret('wanted');
    await makeNaming('wanting', { secretRef: { name: 'wanted' } });
    await herd.apply(herd.alone('m', 'wanting'));
    await herd.whenRunning(1);
    await tearAway('secret', 'wanted');
    await herd.kubectl('label', 'mc/m', 'force-deletion=True');
    await remove('mc/m');
    await waitFor('m', '{.status.lastOperation.state}=Failed');
    const { status } = await machineOf('m');
    expect(status?.lastOperation).toMatchObject({
      type: 'Delete',
      description: expect.stringContaining('wanted" does not exist'),
    });
    expect(status?.currentStep?.reason).toBe('SecretNotFound');
    expect(await herd.vms()).toHaveLength(1);
    await makeSecret('wanted');
    await herd.kubectl('wait', 'mc/m', '--for=delete', '--timeout=45s');
    expect(await herd.vms()).toEqual([]);
  });
});
