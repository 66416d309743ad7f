import { describe, expect, test } from 'bun:test';
import { namespaces } from '../runtime/k8s/core.ts';
import { persistentVolumeClaims, pods as podResource } from '../runtime/k8s/workload.ts';
import { apiError } from './calls.fake.ts';
import { attachment, benchDrain, boundClaim, podOn } from './drains.fixture.ts';
import { reportOf } from './flow/report.ts';
import type { DrainRule, RulesFact } from './flow/rules.ts';
import { NOW } from './flow/view.fixture.ts';
import { observeDrain } from './observe.ts';

const known = (...rules: DrainRule[]): RulesFact => ({ at: 'known', rules });
const faulty = (...rules: DrainRule[]): RulesFact => ({ at: 'faulty', why: 'MachineDrainRule a: no', rules });
const rule = (changes: Partial<DrainRule> = {}): DrainRule => ({ name: 'a', behavior: 'Skip', order: 0, ...changes });
const web = { selector: { matchLabels: { app: 'web' } } };
const blue = { namespaceSelector: { matchLabels: { team: 'blue' } } };

/** A drain of the pods `web` and `db`, each with its name as the label `app`, in a namespace of the team `blue`. */
function shop(rules: RulesFact) {
  const bench = benchDrain({ rules });
  const { server, target, request } = bench;
  server.put(namespaces, { metadata: { name: 'shop', labels: { team: 'blue' } } });
  const put = (
    name: string,
    { labels = { app: name }, version = '1' }: { labels?: Record<string, string>; version?: string } = {},
  ) => {
    const pod = podOn(name);
    server.put(podResource, { ...pod, metadata: { ...pod.metadata, labels, resourceVersion: version } });
    target.pods.put({ ...pod, metadata: { ...pod.metadata, resourceVersion: version } });
  };
  for (const name of ['web', 'db']) put(name);
  const evicted = () =>
    server.calls.filter((call) => call.startsWith('evict')).map((call) => call.slice('evict shop/'.length));
  const lists = () => server.calls.filter((call) => call.startsWith('list')).length;
  return { ...bench, put, evicted, lists, rule: (next: RulesFact) => Object.assign(request, { rules: next }) };
}

describe('rules in a drain', () => {
  test('let pods be that they skip, by labels that one list brings', async () => {
    const { run, evicted, lists, look, server } = shop(known(rule({ pods: [web] })));
    await run();
    expect([evicted(), lists()]).toEqual([['db'], 1]);
    expect(look().skipped).toEqual([{ name: 'shop/web', by: 'MachineDrainRule a' }]);
    expect(server.calls.filter((call) => call.startsWith('get namespaces'))).toEqual([]);
  });

  test('ask for a namespace where they read its labels', async () => {
    const { run, evicted, server } = shop(known(rule({ pods: [{ ...web, ...blue }] })));
    await run();
    expect(evicted()).toEqual(['db']);
    expect(server.calls.filter((call) => call.startsWith('get namespaces'))).toEqual(['get namespaces shop']);
  });

  test('say in which order, and by whom', async () => {
    const { look } = shop(known(rule({ behavior: 'Drain', order: 5 })));
    expect(look().pods).toMatchObject([
      { order: 5, by: 'MachineDrainRule a' },
      { order: 5, by: 'MachineDrainRule a' },
    ]);
    const { look: plain } = shop(known());
    expect(plain().pods.map((pod) => ['order' in pod, 'by' in pod])).toEqual([
      [false, false],
      [false, false],
    ]);
  });

  test('make nobody leave while labels are on their way', async () => {
    const { look, run, server, evicted } = shop(known(rule({ pods: [web] })));
    server.onCall = () => new Promise(() => {});
    expect(await run()).toBe('GetLabels');
    expect([look().labelsPending, look().labelsDue, evicted()]).toEqual([true, undefined, []]);
  });

  test('look labels up for a single pod, too', async () => {
    const { target, look } = shop(known(rule({ pods: [web] })));
    target.pods.drop({ metadata: { ...podOn('db').metadata, resourceVersion: '9' } });
    expect(look()).toMatchObject({ labelsDue: { pods: true }, labelsPending: true, pods: [{ undecided: true }] });
  });

  test.each(['Skip', 'Drain'] as const)('that say %s spare volumes only where they may skip', (behavior) => {
    const { target, look } = shop(known(rule({ behavior, pods: [web] })));
    target.pods.put(podOn('x', { claim: 'x' }));
    target.attachments.put(attachment('pv'));
    expect(look().attachments?.[0]?.unsure).toBe(behavior === 'Skip' ? true : undefined);
  });

  test('of which nothing is known may skip any pod, and skip none', () => {
    const { look } = shop({ at: 'unknown' });
    expect(look()).toMatchObject({ skipped: [], pods: [{ maySkip: true }, { maySkip: true }] });
  });

  test('look labels up anew where the target is another', async () => {
    const { run, look, request, drains, clock } = shop(known(rule({ pods: [web] })));
    await run();
    expect(look().labelsPending).toBeUndefined();
    const elsewhere = { ...request, target: { ...request.target } };
    expect(observeDrain({ drains, clock }, elsewhere)).toMatchObject({ labelsPending: true });
  });

  test('let labels of namespaces go with the drain', async () => {
    const { run, drains, request, server } = shop(known(rule({ pods: [blue] })));
    const asked = () => server.calls.filter((call) => call === 'get namespaces shop').length;
    await run();
    drains.forget(request.uid);
    await run();
    expect(asked()).toBe(2);
  });

  test('that are none look nothing up', async () => {
    const { run, evicted, server } = shop(known());
    await run();
    expect(evicted().toSorted()).toEqual(['db', 'web']);
    expect(server.calls.filter((call) => !call.startsWith('evict'))).toEqual([]);
  });

  test('that cannot be held against pods make nobody leave, and are tried again', async () => {
    const { run, evicted, server, look, clock } = shop(known(rule({ pods: [blue] })));
    server.onCall = (call) => {
      if (call.startsWith('get namespaces')) throw apiError(403, 'Forbidden');
    };
    expect(await run()).toBe('DrainRulesUndecided');
    expect(look().undecided).toBe('the labels of the namespace shop cannot be looked up: refused: Forbidden');
    server.onCall = () => {};
    await clock.advance(60_000);
    expect(await run()).toBe('pass');
    expect(evicted()).toEqual([]);
  });

  test('that are faulty make nobody leave', async () => {
    const { run, evicted, look } = shop(faulty());
    expect([await run(), look().undecided, evicted()]).toEqual(['DrainRulesUndecided', 'MachineDrainRule a: no', []]);
  });

  test('that are not known yet hold the clock of the drain', async () => {
    const { run, look } = shop({ at: 'unknown' });
    expect([await run(), look().podsKnown]).toEqual(['DrainRulesUnknown', false]);
  });

  test('that come in the middle of a drain count at the next look', async () => {
    const { run, evicted, look, clock, rule: set } = shop(known(rule({ behavior: 'WaitCompleted' })));
    expect([await run(), evicted()]).toEqual(['PodsCompleting', []]);
    set(known(rule({ pods: [web] })));
    await run();
    await clock.advance(0);
    expect([evicted(), look().pods.map(({ name }) => name)]).toEqual([['db'], ['db']]);
  });

  // hack/decisions/0028 T43
  test('that are written as they were begin no look-up anew', async () => {
    const { run, lists, look, rule: set, server } = shop(known(rule({ pods: [{ ...web, ...blue }] })));
    await run();
    const before = server.calls.length;
    for (let at = 0; at < 20; at++) {
      set(known(structuredClone(rule({ pods: [{ ...web, ...blue }] }))));
      await run();
    }
    set(faulty());
    await run();
    set(known(rule({ pods: [web], behavior: 'WaitCompleted' })));
    await run();
    expect([lists(), server.calls.length, look().pods.map(({ name }) => name)]).toEqual([1, before, ['web', 'db']]);
  });

  test('see labels that change', async () => {
    const { run, put, look, clock } = shop(known(rule({ pods: [web] })));
    await run();
    put('web', { labels: { app: 'other' }, version: '2' });
    await clock.advance(10_000);
    await run();
    expect(look().skipped).toEqual([]);
  });

  test('wait for a pod until it has completed, and let it leave then', async () => {
    const { run, target, evicted } = shop(known(rule({ behavior: 'WaitCompleted' })));
    await run();
    target.pods.put({
      ...podOn('web'),
      metadata: { ...podOn('web').metadata, resourceVersion: '2' },
      status: { phase: 'Succeeded' },
    });
    expect([await run(), evicted()]).toEqual(['PodsTerminating', ['web']]);
  });

  test('are held against nothing that the label of a pod has settled', async () => {
    const { run, target, look, lists } = shop(known());
    for (const name of ['web', 'db']) {
      const pod = podOn(name);
      target.pods.put({
        ...pod,
        metadata: { ...pod.metadata, resourceVersion: '2', labels: { 'cluster.x-k8s.io/drain': 'skip' } },
      });
    }
    // The one list is that with which each drain ends.
    expect([await run(), look().skipped?.length, lists()]).toEqual(['pass', 2, 1]);
  });
});

test('the volume of a pod that is let be is not waited for, and marked as its', async () => {
  const bench = benchDrain({ rules: known(rule()) });
  const { server, target, run, look } = bench;
  server.put(persistentVolumeClaims, boundClaim('db'));
  target.pods.put(podOn('db', { claim: 'db' }));
  target.attachments.put(attachment('pv-db'));
  expect(await run()).toBe('pass');
  expect(look().attachments).toMatchObject([{ used: true, spared: true }]);
});

// hack/decisions/0051 L31
describe('a pod that a rule may skip, when the time of the drain is over', () => {
  const typo = rule({ faulty: true });
  const rows: Array<[string, RulesFact]> = [
    ['for its labels cannot be looked up', known(rule({ pods: [blue] }))],
    ['for the rule is faulty', faulty(typo)],
  ];
  const deletions = ({ server }: ReturnType<typeof benchDrain>) =>
    server.calls.filter((call) => call.startsWith('delete')).map((call) => call.split(' ').slice(0, 2).join(' '));
  const later = async (rules: RulesFact) => {
    const bench = benchDrain({ rules });
    const { server, target, request, clock, run } = bench;
    server.onCall = (call) => {
      if (call.startsWith('get namespaces')) throw apiError(403, 'Forbidden');
    };
    const bound = { spec: { volumeName: 'pv-db' }, status: { phase: 'Bound' } };
    const claim = { metadata: { namespace: 'shop', name: 'db' }, ...bound };
    server.put(persistentVolumeClaims, claim);
    target.pods.put(podOn('db', { claim: 'db' }));
    target.attachments.put(attachment('pv-db'));
    await run();
    return { ...bench, deleted: () => deletions(bench), over: () => Object.assign(request, { deadline: clock.now() }) };
  };

  test.each(rows)('is not deleted by force, %s', async (_what, rules) => {
    const { run, over, look, deleted } = await later(rules);
    expect([await run(), look().undecided]).toEqual(['DrainRulesUndecided', expect.any(String)]);
    over();
    expect([await run(), deleted()]).toEqual(['pass', []]);
    expect(look().attachments).toMatchObject([{ used: true, spared: true }]);
    expect(reportOf(look())).toMatchObject([{ result: 'Waiting', reason: expect.stringContaining('nobody knows') }]);
  });

  test.each(rows)('is if somebody says so, or its Node is lost, %s', async (_what, rules) => {
    const { run, over, request, deleted } = await later(rules);
    Object.assign(over(), { forced: true });
    expect(request.forced).toBeTrue();
    await run();
    expect(deleted()).toEqual(['delete shop/db']);
  });

  test.each<[what: string, rules: RulesFact]>([
    ['a rule that does not skip it is faulty', faulty(rule({ behavior: 'WaitCompleted', faulty: true }))],
    ['a faulty rule picks other machines', faulty()],
    ['a sound rule says that it leaves before the faulty one does', faulty(rule({ behavior: 'Drain' }), typo)],
  ])('is deleted as any other where %s', async (_what, rules) => {
    const { run, over, deleted } = await later(rules);
    over();
    await run();
    expect(deleted()).toEqual(['delete shop/db']);
  });

  test.each([
    ['red', ['delete shop/db']],
    ['blue', []],
  ])('is not before its labels are known, which are looked up then: of team %s', async (team, gone) => {
    const bench = benchDrain({ rules: known(rule({ pods: [blue] })), deadline: NOW });
    bench.server.put(namespaces, { metadata: { name: 'shop', labels: { team } } });
    bench.target.pods.put(podOn('db'));
    await bench.run();
    expect(deletions(bench)).toEqual(gone);
  });

  test('keeps its volume while the rules cannot be listed', async () => {
    const { over, look } = await later(known(rule()));
    Object.assign(over(), { rules: { at: 'unknown' } });
    expect(look().attachments).toMatchObject([{ used: true, spared: true }]);
  });

  test('and is skipped by a sound rule before a faulty one', async () => {
    const { over, look, run, deleted } = await later(faulty(rule(), typo));
    over();
    expect([await run(), look().skipped?.length, deleted()]).toEqual(['pass', 1, []]);
  });
});
